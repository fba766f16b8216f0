#pragma once

#include <memory>
#include <vector>

#include "verifier/loader/closure.h"
#include "verifier/why/explanation.h"
#include "verifier/why/message.h"
#include "verifier/why/subject.h"

namespace wheelcheck {

/// A process that was looked at, and the object in it that is explained.
struct ShownProcess {
  std::shared_ptr<const Closure> closure;
  std::size_t object = 0;
};

/// What the facts say about a loader's complaint, beyond what is needed and found: remarks and
/// changes are added to the answer. Where the complaint has a cause in the files, or its cause is
/// not seen in them, the answer is not firm.
void judge_complaint(const Subject& subject, const Complaint& complaint,
                     const std::vector<ShownProcess>& shown, Explanation& answer);

}  // namespace wheelcheck
