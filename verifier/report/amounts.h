#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wheelcheck {

/// "1 error", "2 errors", "1.2k members": a count with its noun.
[[nodiscard]] std::string count_text(std::uint64_t count, std::string_view noun);
/// "999 B", "4.2 KiB", "502.2 MiB"
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);
/// "0.084 s", "12.3 s"
[[nodiscard]] std::string seconds_text(double seconds);
/// Bytes per second as "812 MB/s" (10^6 bytes); "-" when no time passed.
[[nodiscard]] std::string rate_text(std::uint64_t bytes, double seconds);

}  // namespace wheelcheck
