#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/finding.h"
#include "verifier/core/result.h"
#include "verifier/wheel/facts.h"

namespace wheelcheck {

/// From which level on findings make the program fail.
enum class FailOn { error, warning, note, never };

/// Exit codes of the program; where several apply, the highest wins.
enum ExitCode : int {
  kExitClean = 0,
  kExitFindings = 1,    ///< findings at or above FailOn
  kExitUsage = 2,       ///< wrong call or configuration, or nothing to check
  kExitUnreadable = 3,  ///< an input could not be read in full, or the report not written
  kExitBug = 70,        ///< a defect of the program itself
};

/// A member that could not be read, and why.
struct Unread {
  std::string place;  ///< member path
  Error error;
};

struct Tally {
  std::uint64_t errors = 0;
  std::uint64_t warnings = 0;
  std::uint64_t notes = 0;
  [[nodiscard]] std::uint64_t at_or_above(FailOn level) const;
  Tally& operator+=(const Tally& other);
};

/// What was found in one wheel.
struct WheelReport {
  std::string file;                 ///< path as given
  std::optional<Error> unreadable;  ///< not an archive that can be read at all: nothing else is set
  std::string profile;              ///< name
  std::string profile_because;      ///< why it was chosen
  std::vector<std::string> surroundings;  ///< what was told of the place where it will run
  std::vector<Unread> unread;             ///< in member order
  ScanStats stats;
  double wall_seconds = 0;
  std::vector<Finding> findings;  ///< see arrange()

  /// Of findings: one that is there several times in one place (Finding::count) is one.
  [[nodiscard]] Tally tally() const;
  [[nodiscard]] bool complete() const { return !unreadable && unread.empty(); }
};

/// What the whole run cost.
struct RunStats {
  double wall_seconds = 0;
  double cpu_seconds = 0;               ///< of this process and its finished children
  std::uint64_t peak_memory = 0;        ///< bytes, of this process
  std::uint64_t child_peak_memory = 0;  ///< bytes, of the largest child; 0: there was none
};

/// What reading the packages beside has cost.
struct BesideStats {
  std::uint64_t read = 0;    ///< wheels that were read in full
  std::uint64_t cached = 0;  ///< wheels whose facts were known from an earlier run
  double seconds = 0;        ///< for all packages beside, installed ones too
};

/// One run: what the writers turn into one document.
struct Report {
  FailOn fail_on = FailOn::error;
  std::uint32_t rules_run = 0;
  std::vector<WheelReport> wheels;  ///< in the order given
  std::vector<Error> with_errors;   ///< what --with named and could not be read
  BesideStats beside;
  std::optional<RunStats> run;

  [[nodiscard]] Tally tally() const;
  [[nodiscard]] int exit_code() const;
};

/// Puts findings in reading order (the wheel as a whole, then members in the archive's order, then
/// other places by name; rule ids within a place) and folds identical ones, adding their counts.
void arrange(std::vector<Finding>& findings, const WheelFacts& wheel);

[[nodiscard]] std::string_view level_name(Level level);
[[nodiscard]] std::string_view fail_on_name(FailOn level);
/// "0.1.0"
[[nodiscard]] std::string_view tool_version();

}  // namespace wheelcheck
