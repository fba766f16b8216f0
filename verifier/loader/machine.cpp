#include "verifier/loader/machine.h"

namespace wheelcheck {

std::vector<std::string> hwcap_subdirectories(GlibcVersion version,
                                              const std::vector<std::string>& levels,
                                              const std::vector<std::string>& legacy) {
  std::vector<std::string> subdirectories;
  if (version >= GlibcVersion{2, 33}) {
    for (const std::string& level : levels) subdirectories.push_back("glibc-hwcaps/" + level + "/");
  }
  if (version >= GlibcVersion{2, 37} || legacy.empty() || legacy.size() > 16) return subdirectories;
  // Every selection of the legacy names, the ones that begin earlier in the list first.
  const std::size_t count = legacy.size();
  for (std::size_t mask = (std::size_t{1} << count) - 1; mask != 0; --mask) {
    std::string path;
    for (std::size_t i = 0; i < count; ++i) {
      if ((mask >> (count - 1 - i)) & 1U) path += legacy[i] + "/";
    }
    subdirectories.push_back(std::move(path));
  }
  return subdirectories;
}

}  // namespace wheelcheck
