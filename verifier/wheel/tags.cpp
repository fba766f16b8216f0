#include "verifier/wheel/tags.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "verifier/wheel/text.h"

namespace wheelcheck {

namespace {

Error bad_name(std::string_view name, std::string what) {
  return Error{std::string(name.substr(0, 300)), "not a wheel file name: " + std::move(what),
               std::nullopt};
}

/// A tag set's three lists.
struct TagSets {
  std::vector<std::string> pythons, abis, platforms;
};

/// Python's `str.isidentifier`, with every letter beyond ASCII allowed.
bool is_identifier(std::string_view text) {
  const auto letter = [](char c) {
    return text::is_alpha(c) || c == '_' || static_cast<unsigned char>(c) >= 0x80;
  };
  return !text.empty() && letter(text.front()) &&
         std::all_of(text.begin(), text.end(),
                     [&](char c) { return letter(c) || text::is_digit(c); });
}

Result<TagSets> parse_tag_sets(std::string_view text) {
  const auto bad = [&](std::string what) {
    return Error{"tag", text::quoted(text) + " " + std::move(what), std::nullopt};
  };
  const auto components = text::split(text, '-');
  if (components.size() != 3) return bad("does not have three parts");
  TagSets sets;
  const std::array lists{&sets.pythons, &sets.abis, &sets.platforms};
  std::size_t count = 1;
  for (std::size_t i = 0; i < 3; ++i) {
    for (const std::string_view part : text::split(components[i], '.')) {
      if (part.empty()) return bad("has an empty part");
      lists[i]->emplace_back(part);
    }
    count *= lists[i]->size();  // cannot overflow: each is at most kMaxTags
    if (count > kMaxTags) return bad("stands for more than " + std::to_string(kMaxTags) + " tags");
  }
  for (const std::string& python : sets.pythons) {
    if (!is_identifier(python)) return bad("names no interpreter");
  }
  return sets;
}

std::vector<Tag> expand(const std::vector<std::string>& pythons,
                        const std::vector<std::string>& abis,
                        const std::vector<std::string>& platforms) {
  std::vector<Tag> tags;
  for (const std::string& python : pythons) {
    for (const std::string& abi : abis) {
      for (const std::string& platform : platforms) {
        if (tags.size() == kMaxTags) return tags;
        tags.push_back({text::lower(python), text::lower(abi), text::lower(platform)});
      }
    }
  }
  return tags;
}

/// Takes "12_" off the front: a number and the '_' behind it. Nothing is taken on failure.
bool take_number(std::string_view& text, int& out) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const auto size = static_cast<std::size_t>(end - text.data());
  if (error != std::errc() || value < 0 || size >= text.size() || text[size] != '_') return false;
  out = value;
  text.remove_prefix(size + 1);
  return true;
}

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix) return false;
  text.remove_prefix(prefix.size());
  return true;
}

/// Platforms whose tags have the form prefix_MAJOR_MINOR_arch.
struct VersionedPlatform {
  std::string_view prefix;
  PlatformKind kind;
};
constexpr std::array<VersionedPlatform, 3> kVersioned{{
    {"manylinux_", PlatformKind::manylinux},
    {"musllinux_", PlatformKind::musllinux},
    {"macosx_", PlatformKind::macos},
}};

/// The names that glibc versions had before PEP 600.
struct LegacyManylinux {
  std::string_view prefix;
  int minor;
};
constexpr std::array<LegacyManylinux, 3> kLegacy{
    {{"manylinux1_", 5}, {"manylinux2010_", 12}, {"manylinux2014_", 17}}};

/// Architectures as platform tags that are not parsed further spell them, at their end.
constexpr std::array<std::string_view, 12> kArchitectures{
    "x86_64",  "aarch64", "arm64", "arm64_v8a", "armeabi_v7a", "i686",
    "ppc64le", "s390x",   "amd64", "riscv64",   "wasm32",      "x86"};

std::string architecture_in(std::string_view tag) {
  std::string_view best;
  for (const std::string_view arch : kArchitectures) {
    const bool ends = tag.size() > arch.size() && tag.substr(tag.size() - arch.size()) == arch &&
                      tag[tag.size() - arch.size() - 1] == '_';
    if (ends && arch.size() > best.size()) best = arch;
  }
  if (best.empty()) {  // "ios_13_0_arm64_iphoneos"
    for (const std::string_view arch : {std::string_view("arm64"), std::string_view("x86_64")}) {
      if (tag.find("_" + std::string(arch) + "_") != std::string_view::npos) best = arch;
    }
  }
  return std::string(best);
}

}  // namespace

Platform parse_platform(std::string_view tag) {
  Platform platform;
  platform.text = tag;
  const std::string lowered = text::lower(tag);
  const std::string_view whole = lowered;
  std::string_view rest = whole;
  if (whole == "any") {
    platform.kind = PlatformKind::any;
    return platform;
  }
  if (whole == "win32") {
    platform.kind = PlatformKind::windows;
    platform.arch = "win32";
    return platform;
  }
  for (const auto& [prefix, minor] : kLegacy) {
    if (!take_prefix(rest, prefix) || rest.empty()) continue;
    platform.kind = PlatformKind::manylinux;
    platform.major = 2;
    platform.minor = minor;
    platform.arch = rest;
    return platform;
  }
  for (const auto& [prefix, kind] : kVersioned) {
    rest = whole;
    int major = 0;
    int minor = 0;
    if (!take_prefix(rest, prefix) || !take_number(rest, major) || !take_number(rest, minor) ||
        rest.empty())
      continue;
    platform.kind = kind;
    platform.major = major;
    platform.minor = minor;
    platform.arch = rest;
    return platform;
  }
  rest = whole;
  if (take_prefix(rest, "win_") && !rest.empty()) {
    platform.kind = PlatformKind::windows;
    platform.arch = rest;
  } else if (take_prefix(rest, "linux_") && !rest.empty()) {
    platform.kind = PlatformKind::linux;
    platform.arch = rest;
  } else {
    platform.arch = architecture_in(whole);
  }
  return platform;
}

std::vector<Tag> WheelFileName::tags() const { return expand(pythons, abis, platforms); }

Result<WheelFileName> parse_wheel_filename(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view base = slash == std::string_view::npos ? path : path.substr(slash + 1);
  constexpr std::string_view kSuffix = ".whl";
  if (base.size() < kSuffix.size() || base.substr(base.size() - kSuffix.size()) != kSuffix)
    return bad_name(base, "it does not end in .whl");
  const auto parts = text::split(base.substr(0, base.size() - kSuffix.size()), '-');
  if (parts.size() != 5 && parts.size() != 6)
    return bad_name(base, "it has " + std::to_string(parts.size()) +
                              " parts, not name-version(-build)-python-abi-platform");

  WheelFileName name;
  name.text = base;
  name.distribution = parts[0];
  const auto allowed = [](char c) {
    return text::is_alnum(c) || c == '_' || c == '.' || static_cast<unsigned char>(c) >= 0x80;
  };
  if (parts[0].empty() || !std::all_of(parts[0].begin(), parts[0].end(), allowed) ||
      parts[0].find("__") != std::string_view::npos)
    return bad_name(base, text::quoted(parts[0]) + " is not the escaped name of a distribution");
  name.normalised = normalise_name(parts[0]);
  name.version_text = parts[1];
  if (auto version = Version::parse(parts[1])) name.version = *std::move(version);
  if (parts.size() == 6) {
    if (parts[2].empty() || !text::is_digit(parts[2].front()))
      return bad_name(base, "the build tag " + text::quoted(parts[2]) + " starts with no digit");
    name.build = parts[2];
  }
  const std::size_t tag_start =
      static_cast<std::size_t>(parts[parts.size() - 3].data() - base.data());
  auto sets = parse_tag_sets(base.substr(tag_start, base.size() - kSuffix.size() - tag_start));
  if (!sets) return bad_name(base, "its tag " + sets.error().what);
  name.pythons = std::move(sets->pythons);
  name.abis = std::move(sets->abis);
  name.platforms = std::move(sets->platforms);
  return name;
}

Result<std::vector<Tag>> parse_tag(std::string_view text) {
  auto sets = parse_tag_sets(text);
  if (!sets) return std::move(sets).error();
  return expand(sets->pythons, sets->abis, sets->platforms);
}

// --- Markers ------------------------------------------------------------------------------------

namespace {

struct Implementation {
  std::string_view prefix;
  std::string_view name;     // sys.implementation.name
  std::string_view spoken;   // platform.python_implementation()
  std::string_view version;  // of the implementation; empty: that of the language
};
constexpr std::array<Implementation, 4> kImplementations{{
    {"graalpy", "graalpy", "GraalVM", "24.0.0"},
    {"cp", "cpython", "CPython", ""},
    {"py", "cpython", "CPython", ""},
    {"pp", "pypy", "PyPy", "7.3.0"},
}};

void set_python(MarkerEnvironment& environment, std::string_view tag) {
  const std::string lowered = text::lower(tag);
  for (const Implementation& implementation : kImplementations) {
    std::string_view digits = lowered;
    if (!take_prefix(digits, implementation.prefix)) continue;
    environment.implementation_name = implementation.name;
    environment.platform_python_implementation = implementation.spoken;
    // "3" leaves the minor open; "312" is 3.12. Anything longer is not known.
    const bool known = !digits.empty() && digits.size() <= 4 &&
                       std::all_of(digits.begin(), digits.end(), text::is_digit);
    if (known && digits != "3") {
      const std::string minor = digits.size() == 1 ? (digits == "2" ? "7" : "0")
                                                   : text::decimal::normalise(digits.substr(1));
      environment.python_version = std::string(1, digits.front()) + "." + minor;
      environment.python_full_version = environment.python_version + ".0";
    }
    environment.implementation_version = implementation.version.empty()
                                             ? environment.python_full_version
                                             : std::string(implementation.version);
    return;
  }
}

struct System {
  std::string_view prefix;  // of a platform tag of kind `other`
  std::string_view sys_platform;
  std::string_view platform_system;
};
constexpr std::array<System, 6> kOtherSystems{{
    {"ios_", "ios", "iOS"},
    {"android_", "android", "Android"},
    {"emscripten_", "emscripten", "Emscripten"},
    {"pyodide_", "emscripten", "Emscripten"},
    {"freebsd_", "freebsd", "FreeBSD"},
    {"openbsd_", "openbsd", "OpenBSD"},
}};

void set_platform(MarkerEnvironment& environment, const Platform& platform) {
  switch (platform.kind) {
    case PlatformKind::any:
      return;
    case PlatformKind::linux:
    case PlatformKind::manylinux:
    case PlatformKind::musllinux:
      environment.platform_machine = platform.arch;
      return;
    case PlatformKind::macos:
      environment.sys_platform = "darwin";
      environment.platform_system = "Darwin";
      // Names of several architectures: the machine that is sold today.
      environment.platform_machine =
          platform.arch == "x86_64" || platform.arch == "i386" ? platform.arch : "arm64";
      return;
    case PlatformKind::windows:
      environment.os_name = "nt";
      environment.sys_platform = "win32";
      environment.platform_system = "Windows";
      environment.platform_machine = platform.arch == "win32"   ? "x86"
                                     : platform.arch == "arm64" ? "ARM64"
                                                                : "AMD64";
      return;
    case PlatformKind::other:
      break;
  }
  const std::string lowered = text::lower(platform.text);
  for (const auto& [prefix, sys_platform, system] : kOtherSystems) {
    if (lowered.substr(0, prefix.size()) != prefix) continue;
    environment.sys_platform = sys_platform;
    environment.platform_system = system;
  }
  if (!platform.arch.empty()) environment.platform_machine = platform.arch;
}

}  // namespace

MarkerEnvironment marker_environment(const Platform& platform, std::string_view python_tag) {
  MarkerEnvironment environment;
  set_platform(environment, platform);
  set_python(environment, python_tag);
  return environment;
}

std::string newest_python(const std::vector<std::string>& pythons) {
  // By the version that markers would be evaluated for; an open "py3" is as new as any.
  std::string newest = "py3";
  std::optional<Version> best;
  for (const std::string& python : pythons) {
    const auto version = Version::parse(marker_environment(Platform(), python).python_version);
    if (!version || (best && *version <= *best)) continue;
    best = *version;
    newest = python;
  }
  return newest;
}

}  // namespace wheelcheck
