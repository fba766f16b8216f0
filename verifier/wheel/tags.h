#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/core/result.h"
#include "verifier/wheel/requirement.h"
#include "verifier/wheel/version.h"

namespace wheelcheck {

/// "cp312-cp312-manylinux_2_28_x86_64", one of each.
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
  std::string arch;  ///< "x86_64", "aarch64", "arm64", "universal2", "amd64", "win32", ...
  std::string text;  ///< as written
};
[[nodiscard]] Platform parse_platform(std::string_view tag);

/// name-version(-build)?-python-abi-platform.whl, with compressed tag sets expanded.
struct WheelFileName {
  std::string text;          ///< base name as given
  std::string distribution;  ///< as written
  std::string normalised;
  std::string version_text;
  std::optional<Version> version;  ///< nothing: `version_text` is not PEP 440
  std::string build;               ///< "1", "2local"; empty: none
  std::vector<std::string> pythons;
  std::vector<std::string> abis;
  std::vector<std::string> platforms;
  [[nodiscard]] std::vector<Tag> tags() const;
};
/// `path`: only its last component counts.
[[nodiscard]] Result<WheelFileName> parse_wheel_filename(std::string_view path);

/// "cp312-cp312-linux_x86_64" of a WHEEL file's Tag line; compressed sets are expanded.
[[nodiscard]] Result<std::vector<Tag>> parse_tag(std::string_view text);

/// The machine a wheel of this platform and Python is for, for evaluating markers.
[[nodiscard]] MarkerEnvironment marker_environment(const Platform& platform,
                                                   std::string_view python_tag);

}  // namespace wheelcheck
