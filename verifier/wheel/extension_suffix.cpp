#include "verifier/wheel/extension_suffix.h"

#include <algorithm>
#include <array>
#include <utility>

#include "verifier/wheel/text.h"

namespace wheelcheck {

namespace {

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (text.substr(0, prefix.size()) != prefix) return false;
  text.remove_prefix(prefix.size());
  return true;
}

std::string_view take_while(std::string_view& text, bool (*belongs)(char)) {
  std::size_t size = 0;
  while (size < text.size() && belongs(text[size])) ++size;
  const std::string_view taken = text.substr(0, size);
  text.remove_prefix(size);
  return taken;
}

/// A language version as tags write it: "312" is 3.12, "3" is 3 with an open minor (-1).
struct LanguageVersion {
  int major = 0;
  int minor = -1;
};
std::optional<LanguageVersion> take_version(std::string_view& text) {
  const std::string_view digits = take_while(text, text::is_digit);
  if (digits.empty() || digits.size() > 4) return std::nullopt;
  LanguageVersion version;
  version.major = digits[0] - '0';
  if (digits.size() > 1) version.minor = std::stoi(std::string(digits.substr(1)));
  return version;
}

bool set_version(std::string_view& text, ExtensionSuffix& out) {
  const auto version = take_version(text);
  if (!version || version->minor < 0) return false;
  out.major = version->major;
  out.minor = version->minor;
  return true;
}

/// What is left must be nothing, or '-' and the platform.
bool set_platform(std::string_view rest, ExtensionSuffix& out) {
  if (rest.empty()) return true;
  if (!take_prefix(rest, "-") || rest.empty()) return false;
  out.platform = rest;
  return true;
}

/// "cpython-312-x86_64-linux-gnu", "cp312-win_amd64"
bool parse_cpython(std::string_view tag, ExtensionSuffix& out) {
  if (!take_prefix(tag, "cpython-") && !take_prefix(tag, "cp")) return false;
  out.implementation = "cpython";
  if (!set_version(tag, out)) return false;
  out.abi = take_while(tag, text::is_alpha);
  return set_platform(tag, out);
}

/// "pypy310-pp73-x86_64-linux-gnu"
bool parse_pypy(std::string_view tag, ExtensionSuffix& out) {
  if (!take_prefix(tag, "pypy")) return false;
  out.implementation = "pypy";
  if (!set_version(tag, out) || !take_prefix(tag, "-")) return false;
  out.abi = take_while(tag, text::is_alnum);
  return out.abi.size() > 2 && out.abi.substr(0, 2) == "pp" && set_platform(tag, out);
}

/// "graalpy242-311-native-x86_64-linux"
bool parse_graalpy(std::string_view tag, ExtensionSuffix& out) {
  if (!take_prefix(tag, "graalpy")) return false;
  out.implementation = "graalpy";
  out.abi = take_while(tag, text::is_digit);
  if (!take_prefix(tag, "-") || !set_version(tag, out)) return false;
  (void)take_prefix(tag, "-native");
  return set_platform(tag, out);
}

}  // namespace

bool ExtensionSuffix::free_threaded() const {
  return kind == Kind::stable_abi
             ? abi == "abi3t"
             : implementation == "cpython" && abi.find('t') != std::string::npos;
}

std::optional<ExtensionSuffix> parse_extension_suffix(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view name = slash == std::string_view::npos ? path : path.substr(slash + 1);
  const std::size_t dot = name.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  const std::string_view ending = name.substr(dot);
  ExtensionSuffix out;
  out.windows = ending == ".pyd";
  if (!out.windows && ending != ".so") return std::nullopt;
  out.module = name.substr(0, dot);
  out.text = ending;

  const std::size_t before = name.rfind('.', dot - 1);
  if (before == std::string_view::npos || before == 0) return out;
  const std::string_view tag = name.substr(before + 1, dot - before - 1);
  ExtensionSuffix found = out;
  found.module = name.substr(0, before);
  found.text = name.substr(before);
  if (tag == "abi3" || tag == "abi3t") {
    found.kind = ExtensionSuffix::Kind::stable_abi;
    found.implementation = "cpython";
    found.abi = tag;
    return found;
  }
  found.kind = ExtensionSuffix::Kind::versioned;
  for (const auto parse : {parse_cpython, parse_pypy, parse_graalpy}) {
    ExtensionSuffix tried = found;
    if (parse(tag, tried)) return tried;
  }
  return out;
}

// --- Against tags -------------------------------------------------------------------------------

namespace {

/// The interpreters that a tag's first two parts speak of.
struct Interpreters {
  std::string_view implementation;  // "cpython", "pypy", "graalpy"; empty: any
  LanguageVersion version;
  bool known = false;
};

Interpreters parse_python_tag(std::string_view tag) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kPrefixes{
      {{"cp", "cpython"}, {"pp", "pypy"}, {"graalpy", "graalpy"}, {"py", ""}}};
  for (const auto& [prefix, implementation] : kPrefixes) {
    std::string_view rest = tag;
    if (!take_prefix(rest, prefix)) continue;
    const auto version = take_version(rest);
    if (version && rest.empty()) return {implementation, *version, true};
  }
  return {};
}

/// Flags of a CPython ABI tag: "t" of "cp313t". Nothing: it is no such tag.
std::optional<std::string_view> abi_flags(std::string_view abi) {
  if (!take_prefix(abi, "cp") || take_while(abi, text::is_digit).empty()) return std::nullopt;
  return abi;
}

bool is_free_threaded(std::string_view abi) {
  const auto flags = abi_flags(abi);
  return abi == "abi3t" || (flags && flags->find('t') != std::string_view::npos);
}

ExtensionFit stable_abi_fit(const ExtensionSuffix& suffix, const Tag& tag,
                            const Interpreters& wanted) {
  if (wanted.implementation == "pypy") return ExtensionFit::none;
  if (wanted.implementation != "cpython") return ExtensionFit::some;
  if (tag.abi == "none") return ExtensionFit::all;
  // Free-threaded interpreters do not look for ".abi3.so". Whether others will look for ".abi3t.so"
  // is not settled.
  const bool wanted_free = is_free_threaded(tag.abi);
  if (suffix.free_threaded() == wanted_free) return ExtensionFit::all;
  return wanted_free ? ExtensionFit::none : ExtensionFit::some;
}

ExtensionFit versioned_fit(const ExtensionSuffix& suffix, const Tag& tag,
                           const Interpreters& wanted) {
  const LanguageVersion& version = wanted.version;
  if (version.major != suffix.major) return ExtensionFit::none;
  if (wanted.implementation.empty())  // "py38" means 3.8 and later
    return version.minor <= suffix.minor ? ExtensionFit::some : ExtensionFit::none;
  if (wanted.implementation != suffix.implementation) return ExtensionFit::none;
  if (tag.abi == "abi3" || tag.abi == "abi3t") {
    const bool later = version.minor <= suffix.minor;
    const bool same_kind = suffix.free_threaded() == (tag.abi == "abi3t");
    return later && same_kind ? ExtensionFit::some : ExtensionFit::none;
  }
  if (version.minor >= 0 && version.minor != suffix.minor) return ExtensionFit::none;
  if (tag.abi == "none") return version.minor < 0 ? ExtensionFit::some : ExtensionFit::all;
  if (suffix.implementation == "cpython") {
    const auto flags = abi_flags(tag.abi);
    return flags && *flags == suffix.abi ? ExtensionFit::all : ExtensionFit::none;
  }
  // "pypy310_pp73", "graalpy242_311_native"
  return tag.abi.find(suffix.abi) != std::string::npos ? ExtensionFit::all : ExtensionFit::none;
}

/// Architectures as multiarch triplets and as platform tags spell them, where they differ.
constexpr std::array<std::pair<std::string_view, std::string_view>, 7> kTripletArchitectures{
    {{"i386", "i686"},
     {"powerpc64le", "ppc64le"},
     {"powerpc64", "ppc64"},
     {"arm", "armv7l"},
     {"arm", "armv6l"},
     {"arm", "armv8l"},
     {"x86", "i686"}}};

bool same_architecture(std::string_view triplet, std::string_view tag) {
  if (triplet == tag) return true;
  return std::any_of(kTripletArchitectures.begin(), kTripletArchitectures.end(),
                     [&](const auto& pair) { return pair.first == triplet && pair.second == tag; });
}

ExtensionFit linux_fit(const std::string& triplet, const Platform& platform) {
  const std::size_t dash = triplet.find('-');
  if (dash == std::string::npos) return ExtensionFit::none;
  const std::string_view system = std::string_view(triplet).substr(dash + 1);
  if (!same_architecture(std::string_view(triplet).substr(0, dash), platform.arch))
    return ExtensionFit::none;
  if (system.substr(0, 5) != "linux" || system == "linux-android") return ExtensionFit::none;
  const bool musl = system.find("musl") != std::string_view::npos;
  // Not the other way round: no interpreter on glibc looks for "-musl".
  return musl && platform.kind == PlatformKind::manylinux ? ExtensionFit::none : ExtensionFit::all;
}

ExtensionFit platform_fit(const ExtensionSuffix& suffix, const Platform& platform) {
  switch (platform.kind) {
    case PlatformKind::any:
      return ExtensionFit::some;
    case PlatformKind::other:
      return ExtensionFit::all;  // not known well enough to contradict
    case PlatformKind::windows: {
      if (!suffix.windows) return ExtensionFit::none;
      const std::string tag = platform.arch == "win32" ? "win32" : "win_" + platform.arch;
      const bool native = suffix.platform.substr(0, 3) == "win";
      return native && suffix.platform != tag ? ExtensionFit::none : ExtensionFit::all;
    }
    case PlatformKind::macos:
      if (suffix.windows) return ExtensionFit::none;
      return suffix.platform.empty() || suffix.platform.find("darwin") != std::string::npos
                 ? ExtensionFit::all
                 : ExtensionFit::none;
    case PlatformKind::linux:
    case PlatformKind::manylinux:
    case PlatformKind::musllinux:
      break;
  }
  if (suffix.windows) return ExtensionFit::none;
  return suffix.platform.empty() ? ExtensionFit::all : linux_fit(suffix.platform, platform);
}

ExtensionFit python_fit(const ExtensionSuffix& suffix, const Tag& tag) {
  if (suffix.kind == ExtensionSuffix::Kind::plain) return ExtensionFit::all;
  const Interpreters wanted = parse_python_tag(tag.python);
  if (!wanted.known) return ExtensionFit::some;  // not known well enough to contradict
  return suffix.kind == ExtensionSuffix::Kind::stable_abi ? stable_abi_fit(suffix, tag, wanted)
                                                          : versioned_fit(suffix, tag, wanted);
}

}  // namespace

ExtensionFit extension_fit(const ExtensionSuffix& suffix, const std::vector<Tag>& tags) {
  if (tags.empty()) return ExtensionFit::none;
  ExtensionFit best = ExtensionFit::none;
  ExtensionFit worst = ExtensionFit::all;
  for (const Tag& tag : tags) {
    const ExtensionFit fit =
        std::min(python_fit(suffix, tag), platform_fit(suffix, parse_platform(tag.platform)));
    best = std::max(best, fit);
    worst = std::min(worst, fit);
  }
  if (best == ExtensionFit::none || worst == ExtensionFit::all) return best;
  return ExtensionFit::some;
}

}  // namespace wheelcheck
