#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/core/result.h"
#include "verifier/wheel/requirement.h"
#include "verifier/wheel/version.h"

namespace wheelcheck {

/// "cp312-cp312-manylinux_2_28_x86_64", one of each, in lower case.
struct Tag {
  std::string python;
  std::string abi;
  std::string platform;
  [[nodiscard]] std::string str() const { return python + "-" + abi + "-" + platform; }
  [[nodiscard]] auto operator<=>(const Tag&) const = default;
};

enum class PlatformKind { any, linux, manylinux, musllinux, macos, windows, other };

/// What a platform tag promises. manylinux1/2010/2014 become 2.5/2.12/2.17.
struct Platform {
  PlatformKind kind = PlatformKind::other;
  int major = 0;  ///< glibc, musl or macOS version; 0 where the tag has none
  int minor = 0;
  /// "x86_64", "aarch64", "arm64", "universal2", "amd64", "win32", ...; empty where the tag names
  /// none that is known.
  std::string arch;
  std::string text;  ///< as written
};
[[nodiscard]] Platform parse_platform(std::string_view tag);

/// name-version(-build)?-python-abi-platform.whl, with compressed tag sets expanded.
struct WheelFileName {
  std::string text;          ///< base name as given
  std::string distribution;  ///< as written
  std::string normalised;
  std::string version_text;
  std::optional<Version> version;      ///< nothing: `version_text` is not PEP 440
  std::string build;                   ///< "1", "2local"; empty: none
  std::vector<std::string> pythons;    ///< as written
  std::vector<std::string> abis;       ///< as written
  std::vector<std::string> platforms;  ///< as written
  /// Every combination, at most kMaxTags.
  [[nodiscard]] std::vector<Tag> tags() const;
};
inline constexpr std::size_t kMaxTags = 4096;

/// `path`: only its last component counts. An error is whatever an installer refuses, but for a
/// version that is not PEP 440, which leaves `version` empty.
[[nodiscard]] Result<WheelFileName> parse_wheel_filename(std::string_view path);

/// "cp312-cp312-linux_x86_64" of a WHEEL file's Tag line; compressed sets are expanded.
[[nodiscard]] Result<std::vector<Tag>> parse_tag(std::string_view text);

/// The machine a wheel of this platform and Python is for, for evaluating markers: of a range of
/// Pythons ("cp37-abi3") the first. Where a tag leaves something open ("py3", "any", "universal2")
/// a common choice is taken: CPython 3.12, Linux on x86_64, arm64.
/// Of several Python tags, take `newest_python`.
[[nodiscard]] MarkerEnvironment marker_environment(const Platform& platform,
                                                   std::string_view python_tag);

/// The tag of the newest Python: "py3" of "py2.py3", "cp312" of "cp311.cp312"; "py3" of none.
[[nodiscard]] std::string newest_python(const std::vector<std::string>& pythons);

}  // namespace wheelcheck
