#include "verifier/loader/host_machine.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <gnu/libc-version.h>
#include <string_view>

#include "verifier/loader/environment.h"

namespace wheelcheck {

namespace {

/// How systems lay out their libraries for x86-64: what is built into their ld.so.
struct Layout {
  std::string_view sign;  ///< a file that only such a system has
  std::string_view lib;   ///< $LIB
  std::array<std::string_view, 4> directories;
};
constexpr std::array kLayouts = {
    // Debian and what comes from it
    Layout{"/lib/x86_64-linux-gnu/libc.so.6",
           "lib/x86_64-linux-gnu",
           {"/lib/x86_64-linux-gnu/", "/usr/lib/x86_64-linux-gnu/", "/lib/", "/usr/lib/"}},
    Layout{"/lib64/libc.so.6", "lib64", {"/lib64/", "/usr/lib64/", "", ""}},
};

GlibcVersion version_of(std::string_view text) {
  GlibcVersion version;
  const char* const end = text.data() + text.size();
  const auto major = std::from_chars(text.data(), end, version.major);
  if (major.ptr != end) std::from_chars(major.ptr + 1, end, version.minor);
  return version;
}

std::vector<std::string> processor_levels() {
  std::vector<std::string> levels;
#ifdef __x86_64__
  __builtin_cpu_init();
  if (__builtin_cpu_supports("x86-64-v4")) levels.emplace_back("x86-64-v4");
  if (__builtin_cpu_supports("x86-64-v3")) levels.emplace_back("x86-64-v3");
  if (__builtin_cpu_supports("x86-64-v2")) levels.emplace_back("x86-64-v2");
#endif
  return levels;
}

}  // namespace

Result<Machine> host_machine() {
  std::error_code code;
  const auto* const layout = std::find_if(
      kLayouts.begin(), kLayouts.end(),
      [&](const Layout& candidate) { return std::filesystem::exists(candidate.sign, code); });
  if (layout == kLayouts.end()) {
    return Error{"this machine", "has no glibc for x86-64 in a place that is known", {}};
  }
  auto cache = read_cache("/etc/ld.so.cache");
  if (!cache) return cache.error();
  Machine machine;
  machine.glibc = version_of(gnu_get_libc_version());
  machine.lib = layout->lib;
  // The names of the old scheme depend on more than is known here; they were rare and are gone.
  machine.subdirectories = hwcap_subdirectories(machine.glibc, processor_levels(), {});
  machine.has_system_directories = true;
  machine.system.cache = *std::move(cache);
  for (const std::string_view directory : layout->directories) {
    if (!directory.empty()) machine.system.directories.emplace_back(directory);
  }
  return machine;
}

}  // namespace wheelcheck
