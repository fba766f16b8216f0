#pragma once

#include <string_view>

namespace wheelcheck::worker {

// What parent and worker agree on. Both are the same program, so there is no versioning.

inline constexpr std::string_view kArgument = "--lief-worker";  ///< then mode, memory, CPU seconds
/// Set in a worker's environment. A program that does not know the argument would otherwise run its
/// own main there, and start workers in turn.
inline constexpr const char* kInsideVariable = "WHEELCHECK_LIEF_WORKER";

inline constexpr int kInputFd = 3;   ///< the file, as an anonymous file
inline constexpr int kOutputFd = 4;  ///< the answer, a pipe

inline constexpr int kExitOutOfMemory = 40;
inline constexpr int kExitRefused = 41;  ///< LIEF found nothing to parse
inline constexpr int kExitBroken = 42;   ///< bad arguments, limits or pipe

}  // namespace wheelcheck::worker
