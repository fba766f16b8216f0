#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verifier/core/result.h"
#include "verifier/wheel/requirement.h"
#include "verifier/wheel/tags.h"
#include "verifier/wheel/version.h"

namespace wheelcheck {

/// A line of a text member that could not be understood. Facts keep what could be read beside it.
struct TextProblem {
  std::uint32_t line = 0;  ///< from 1
  std::string what;
};

/// dist-info/METADATA
struct Metadata {
  std::vector<std::pair<std::string, std::string>> headers;  ///< all, in order, unfolded
  std::string metadata_version;
  std::string name;
  std::string version_text;
  std::optional<Version> version;
  std::string requires_python;
  std::optional<SpecifierSet> requires_python_set;
  std::vector<Requirement> requires_dist;
  std::vector<std::string> provides_extra;  ///< normalised
  std::vector<TextProblem> problems;
};
[[nodiscard]] Metadata parse_metadata(std::string_view text);

/// dist-info/WHEEL
struct WheelFile {
  std::string wheel_version;
  std::string generator;
  std::optional<bool> root_is_purelib;
  std::vector<std::string> tag_lines;  ///< as written
  std::vector<Tag> tags;               ///< expanded
  std::string build;
  std::vector<TextProblem> problems;
};
[[nodiscard]] WheelFile parse_wheel_file(std::string_view text);

struct RecordRow {
  std::string path;
  std::string algorithm;  ///< "sha256"; empty: no hash
  std::string digest;     ///< as written (urlsafe base64 without padding)
  std::optional<std::uint64_t> size;
  std::uint32_t line = 0;
};
/// dist-info/RECORD
struct Record {
  std::vector<RecordRow> rows;
  std::vector<TextProblem> problems;
};
[[nodiscard]] Record parse_record(std::string_view text);
/// The 32 bytes of a RECORD digest as lower-case hex, or nothing when it is not a SHA-256 digest.
[[nodiscard]] std::optional<std::string> record_digest_hex(std::string_view digest);

struct EntryPoint {
  std::string group, name, module, attribute;
  std::vector<std::string> extras;
};
/// dist-info/entry_points.txt
struct EntryPoints {
  std::vector<EntryPoint> points;
  std::vector<TextProblem> problems;
};
[[nodiscard]] EntryPoints parse_entry_points(std::string_view text);

/// Where an installer puts a member.
enum class Scheme { purelib, platlib, headers, scripts, data, unknown };
struct InstallPath {
  Scheme scheme = Scheme::platlib;
  std::string path;  ///< below that scheme's root, '/'-separated; empty for an unknown scheme
};
/// `data_directory`: "name-1.0.data"; `root`: what Root-Is-Purelib says of members outside it.
[[nodiscard]] InstallPath install_path(std::string_view member, std::string_view data_directory,
                                       Scheme root);

}  // namespace wheelcheck
