#pragma once

#include <string>

#include "verifier/foreign/wire.h"

namespace wheelcheck::worker {

// Each reads the file at `path` with LIEF and writes what LIEF says. False: LIEF gave nothing.
// These run in a worker only, and are the only code that sees LIEF's headers.

bool write_elf(const std::string& path, wire::Writer& out);
bool write_mach_o(const std::string& path, wire::Writer& out);
bool write_pe(const std::string& path, wire::Writer& out);

/// A mode of misbehaviour, for the tests of what the parent makes of it: "test-sleep", "test-spin",
/// "test-allocate", "test-crash", "test-exit", "test-flood", "test-truncate". False: not one.
bool misbehave(const std::string& mode);

}  // namespace wheelcheck::worker
