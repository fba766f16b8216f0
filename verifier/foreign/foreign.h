#pragma once

#include <string>

#include "verifier/core/bytes.h"
#include "verifier/core/result.h"
#include "verifier/foreign/child.h"
#include "verifier/foreign/facts.h"

namespace wheelcheck {

/// Reads a Mach-O (thin or universal) or a PE that lies in memory as a whole: its structure is
/// checked here, then LIEF reads it in a process of its own. `where` names the file in errors.
///
/// An error means that the file counts as unread: its structure is damaged, LIEF lost something
/// that is there, or the worker crashed or went beyond `limits`, each in its own words. A file of
/// any other format (see recognise.h) is an error too.
[[nodiscard]] Result<ForeignFacts> read_foreign(const std::string& where, Bytes file,
                                                const ChildLimits& limits = {});

}  // namespace wheelcheck
