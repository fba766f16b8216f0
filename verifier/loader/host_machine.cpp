#include "verifier/loader/host_machine.h"

#include <algorithm>
#include <array>
#include <charconv>
#ifdef __x86_64__
#include <cpuid.h>
#endif
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

#ifdef __x86_64__
struct Ecx {
  unsigned leaf;
  unsigned bit;
  [[nodiscard]] bool is_set() const {
    unsigned eax = 0;
    unsigned ebx = 0;
    unsigned ecx = 0;
    unsigned edx = 0;
    return __get_cpuid(leaf, &eax, &ebx, &ecx, &edx) != 0 && (ecx >> bit & 1U) != 0;
  }
};
// What compilers have no common name for.
constexpr Ecx kCmpxchg16b{1, 13};
constexpr Ecx kMovbe{1, 22};
constexpr Ecx kF16c{1, 29};
constexpr Ecx kLahf{0x80000001U, 0};
constexpr Ecx kLzcnt{0x80000001U, 5};

/// The levels of the x86-64 psABI whose every instruction this processor has, and the system saves
/// the registers of. Not asked for by their names, which clang knows from version 16 on only.
std::vector<std::string> processor_levels() {
  __builtin_cpu_init();
  const bool v2 = kCmpxchg16b.is_set() && kLahf.is_set() && __builtin_cpu_supports("popcnt") &&
                  __builtin_cpu_supports("sse3") && __builtin_cpu_supports("ssse3") &&
                  __builtin_cpu_supports("sse4.1") && __builtin_cpu_supports("sse4.2");
  const bool v3 = v2 && kMovbe.is_set() && kF16c.is_set() && kLzcnt.is_set() &&
                  __builtin_cpu_supports("avx") && __builtin_cpu_supports("avx2") &&
                  __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
                  __builtin_cpu_supports("fma");
  const bool v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                  __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
                  __builtin_cpu_supports("avx512vl");
  std::vector<std::string> levels;
  if (v4) levels.emplace_back("x86-64-v4");
  if (v3) levels.emplace_back("x86-64-v3");
  if (v2) levels.emplace_back("x86-64-v2");
  return levels;
}
#else
std::vector<std::string> processor_levels() { return {}; }
#endif

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
