#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "verifier/core/bytes.h"
#include "verifier/core/result.h"

namespace wheelcheck {

/// What a LIEF worker may use. LIEF can be blown up by files of a megabyte, so it never runs in our
/// own process: a worker that goes beyond a limit dies, and the file counts as unread.
struct ChildLimits {
  /// Address space of the worker: this much, and so much more for each byte of the file (LIEF holds
  /// up to three copies). Not enforced in AddressSanitizer builds, whose shadow needs terabytes.
  std::uint64_t memory_bytes = 512u << 20;
  std::uint64_t memory_per_file_byte = 4;
  std::uint32_t cpu_seconds = 20;
  std::uint32_t wall_seconds = 120;         ///< ample: a loaded machine is not the file's fault
  std::uint64_t answer_bytes = 256u << 20;  ///< longest answer that is listened to
  /// The program that is started as a worker: this one, which must call
  /// run_lief_worker_if_asked() first thing in main().
  std::string program = "/proc/self/exe";
};

/// Starts a worker of `mode` on `file` and returns its answer, without the frame. Safe to call from
/// several threads at once. An error says what became of the worker: could not be started, crashed,
/// ran out of time or memory, or gave an answer that is none.
[[nodiscard]] Result<std::vector<std::byte>> ask_lief_worker(const std::string& where,
                                                             const std::string& mode, Bytes file,
                                                             const ChildLimits& limits);

/// Whether RLIMIT_AS is left alone because the sanitizer reserves more than any limit.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool kMemoryLimitEnforced = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || \
    __has_feature(memory_sanitizer)
inline constexpr bool kMemoryLimitEnforced = false;
#else
inline constexpr bool kMemoryLimitEnforced = true;
#endif
#else
inline constexpr bool kMemoryLimitEnforced = true;
#endif

}  // namespace wheelcheck
