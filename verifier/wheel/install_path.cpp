#include <array>
#include <utility>

#include "verifier/wheel/metadata.h"

namespace wheelcheck {

InstallPath install_path(std::string_view member, std::string_view data_directory, Scheme root) {
  constexpr std::array<std::pair<std::string_view, Scheme>, 5> kSchemes{
      {{"purelib", Scheme::purelib},
       {"platlib", Scheme::platlib},
       {"headers", Scheme::headers},
       {"scripts", Scheme::scripts},
       {"data", Scheme::data}}};
  const bool inside = !data_directory.empty() && member.size() > data_directory.size() &&
                      member.substr(0, data_directory.size()) == data_directory &&
                      member[data_directory.size()] == '/';
  if (!inside) return {root, std::string(member)};
  const std::string_view rest = member.substr(data_directory.size() + 1);
  const std::size_t slash = rest.find('/');
  if (slash != std::string_view::npos) {
    for (const auto& [name, scheme] : kSchemes) {
      if (rest.substr(0, slash) == name) return {scheme, std::string(rest.substr(slash + 1))};
    }
  }
  return {Scheme::unknown, ""};
}

}  // namespace wheelcheck
