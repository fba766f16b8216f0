#pragma once

#include <string>

#include "verifier/core/result.h"
#include "verifier/why/explanation.h"
#include "verifier/why/subject.h"

namespace wheelcheck {

/// Explains one library of a subject. `question` is a member's path, a file name, a SONAME, a name
/// that some NEEDED has, or a loader's message. Changes that are suggested are tried in the facts.
/// An error: there is nothing of that name, or no loader is known for the subject's platform.
[[nodiscard]] Result<Explanation> explain(Subject& subject, const std::string& question);

}  // namespace wheelcheck
