#pragma once

#include <span>
#include <string_view>

namespace wheelcheck {

/// glibc 2.34 took the libraries beside libc into it. Until then what they define is bound only
/// where they are loaded. Of these libraries only librt is judged: interpreters of that time are
/// linked to libpthread, libdl and libutil, so that what is in those is there by the time an
/// extension is loaded.
inline constexpr int kSymbolsMovedIn = 34;
inline constexpr std::string_view kLibrt = "librt.so.1";

/// Functions that librt had before, sorted.
[[nodiscard]] std::span<const std::string_view> symbols_of_librt();
[[nodiscard]] bool is_symbol_of_librt(std::string_view name);

}  // namespace wheelcheck
