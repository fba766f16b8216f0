#pragma once

#include <string>
#include <string_view>

namespace wheelcheck::cli {

/// Writes to standard output. False: it did not arrive (a full disk, a closed pipe), which has been
/// complained of; a report that nobody got must not count as a pass.
[[nodiscard]] bool put(std::string_view text);
/// put() as a whole command: exit code 0, or 3 when it did not arrive.
[[nodiscard]] int say(std::string_view text);
/// Writes to standard error as it stands.
void complain(std::string_view text);
/// "wheelcheck: error: MESSAGE" on standard error, made printable. Returns exit code 2.
int usage_error(std::string_view message);

/// `when` is "auto", "always" or "never". "auto": standard output is a terminal that knows colours
/// and NO_COLOR is not set.
[[nodiscard]] bool want_colour(std::string_view when);
[[nodiscard]] bool progress_is_seen();  ///< standard error is a terminal

}  // namespace wheelcheck::cli
