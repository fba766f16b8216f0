#pragma once

#include "verifier/core/result.h"
#include "verifier/loader/machine.h"

namespace wheelcheck {

/// The machine that this program runs on, as glibc's loader for x86-64 sees it: version of glibc,
/// directories for better processors, ld.so.cache, default directories. An error: it has no glibc
/// for x86-64 in a place that is known, or its cache cannot be read.
[[nodiscard]] Result<Machine> host_machine();

}  // namespace wheelcheck
