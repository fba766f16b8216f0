#pragma once

#include <string_view>

namespace wheelcheck::embedded {

// The files of rules/policy, put into the program when it is built (cmake/EmbedFile.cmake).
[[nodiscard]] std::string_view openings_json();
[[nodiscard]] std::string_view platforms_json();
[[nodiscard]] std::string_view profiles_json();
[[nodiscard]] std::string_view providers_json();
[[nodiscard]] std::string_view system_symbols_txt();
[[nodiscard]] std::string_view systems_json();
[[nodiscard]] std::string_view trains_json();

}  // namespace wheelcheck::embedded
