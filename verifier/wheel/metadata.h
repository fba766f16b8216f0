#pragma once

#include <cstddef>
#include <cstdint>
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

// None of these parsers fails: each keeps what could be read, and lists the rest as problems, at
// most kMaxTextProblems of them and then one that says so. All are linear in their input.

/// A line of a text member that could not be understood, or that installers take otherwise than it
/// looks.
struct TextProblem {
  std::uint32_t line = 0;  ///< from 1; 0: of the whole file
  std::string what;
};
inline constexpr std::size_t kMaxTextProblems = 1000;
/// Of header lines, entry points and the like: what lies behind is a problem, not read.
inline constexpr std::size_t kMaxTextItems = 100'000;
inline constexpr std::size_t kMaxRecordRows = 1'000'000;
/// The longest header value or RECORD field that is kept, bytes. Python's csv module stops there.
inline constexpr std::size_t kMaxFieldLength = 131'072;

/// dist-info/METADATA
struct Metadata {
  /// All, in order, unfolded: continuation lines are joined with one space.
  std::vector<std::pair<std::string, std::string>> headers;
  std::string metadata_version;
  std::string name;
  std::string version_text;
  std::optional<Version> version;
  std::string requires_python;
  std::optional<SpecifierSet> requires_python_set;
  std::vector<Requirement> requires_dist;
  std::vector<std::string> provides_extra;  ///< normalised
  std::string description;                  ///< what follows the headers, or that header
  std::vector<TextProblem> problems;
};
/// Reads as installers do: the headers end at the first blank line, or at the first line that is
/// none, which is a problem. Single-use fields that repeat are problems; the first one counts. A
/// Requires-Dist that cannot be read is a problem that quotes it.
[[nodiscard]] Metadata parse_metadata(std::string_view text);

/// dist-info/WHEEL
struct WheelFile {
  std::string wheel_version;
  std::string generator;
  std::optional<bool> root_is_purelib;  ///< nothing: missing, or neither true nor false
  std::vector<std::string> tag_lines;   ///< as written
  std::vector<Tag> tags;                ///< expanded
  std::string build;
  std::vector<TextProblem> problems;
};
[[nodiscard]] WheelFile parse_wheel_file(std::string_view text);

struct RecordRow {
  std::string path;
  std::string algorithm;              ///< "sha256", as written; empty: no hash
  std::string digest;                 ///< as written (urlsafe base64 without padding)
  std::optional<std::uint64_t> size;  ///< bytes; nothing: none given, or not a number (a problem)
  std::uint32_t line = 0;
};
/// dist-info/RECORD
struct Record {
  std::vector<RecordRow> rows;
  std::vector<TextProblem> problems;
};
/// A row with something wrong is kept, beside the problem, wherever it names a path. Whether the
/// paths are those of the wheel is for others to say. Two rows for one path are a problem only if
/// they differ.
[[nodiscard]] Record parse_record(std::string_view text);
/// The 32 bytes of a RECORD digest as lower-case hex, or nothing when it is not a SHA-256 digest in
/// urlsafe base64. '=' behind it is accepted here, and a problem of the row.
[[nodiscard]] std::optional<std::string> record_digest_hex(std::string_view digest);

struct EntryPoint {
  std::string group, name, module, attribute;
  std::vector<std::string> extras;  ///< as written
  std::uint32_t line = 0;
};
/// dist-info/entry_points.txt
struct EntryPoints {
  std::vector<EntryPoint> points;
  std::vector<TextProblem> problems;
};
[[nodiscard]] EntryPoints parse_entry_points(std::string_view text);

/// dist-info/top_level.txt: its lines that are not blank, stripped.
[[nodiscard]] std::vector<std::string> parse_top_level(std::string_view text);

/// Where an installer puts a member.
enum class Scheme { purelib, platlib, headers, scripts, data, unknown };
struct InstallPath {
  Scheme scheme = Scheme::platlib;
  std::string path;  ///< below that scheme's root, '/'-separated; empty for an unknown scheme
};
/// `data_directory`: "name-1.0.data", or empty when the wheel has none; `root`: what
/// Root-Is-Purelib says of members outside it. A file that lies in the data directory but in none
/// of its schemes is `unknown`. The path is not resolved: ".." stays.
[[nodiscard]] InstallPath install_path(std::string_view member, std::string_view data_directory,
                                       Scheme root);

}  // namespace wheelcheck
