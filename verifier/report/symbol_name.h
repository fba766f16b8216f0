#pragma once

#include <string>
#include <string_view>

namespace wheelcheck {

/// `text` with its mangled C++ names as people write them: "_ZN1a1fEv is defined" becomes
/// "a::f() is defined". Of a function's parameters only whether there are any is shown:
/// "a::f(...)". What is not a plain or nested name (templates, operators, special names) stays as
/// it is.
///
/// Not __cxa_demangle: names come out of the wheel, and a few hundred hostile bytes of
/// substitutions demangle to gigabytes. This takes time and memory linear in the text.
[[nodiscard]] std::string readable_symbols(std::string_view text);

}  // namespace wheelcheck
