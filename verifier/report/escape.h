#pragma once

#include <string>
#include <string_view>

namespace wheelcheck {

/// Makes a name out of an untrusted file safe to print on a terminal, on one line: control
/// characters (C0, DEL, C1), line and paragraph separators and characters that reorder or hide text
/// become "\x1b" or "\u{202e}"; bytes that are not UTF-8 become "\xff".
[[nodiscard]] std::string printable(std::string_view text);

/// Valid UTF-8 with the same meaning: bytes that are not UTF-8 become "\xff", the rest stays.
[[nodiscard]] std::string valid_utf8(std::string_view text);

}  // namespace wheelcheck
