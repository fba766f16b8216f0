#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "rules/rule.h"
#include "verifier/check/surroundings.h"
#include "verifier/report/report.h"
#include "verifier/scan/scan.h"

namespace wheelcheck {

/// What to check, and how.
struct CheckRequest {
  std::vector<std::string> wheels;  ///< files, checked in this order
  std::vector<std::string> with;    ///< wheels, folders of wheels, unpacked site-packages
  std::string profile;              ///< a name that policy has; empty: by name and content
  std::vector<const Rule*> rules;
  Surroundings surroundings;
  bool cache = false;  ///< keep the facts of wheels beside from run to run
  FailOn fail_on = FailOn::error;
  ScanOptions scan;  ///< `want_local_symbols` and `progress` are set by the check
  /// Bytes inflated so far of the file being read, and in all. Called from worker threads.
  std::function<void(const std::string& file, std::uint64_t done, std::uint64_t total)> progress;
  /// Called as soon as a wheel is judged.
  std::function<void(const WheelReport&)> wheel_done;
};

/// Reads each wheel, lays it out as an installer would, resolves what it needs and runs the rules.
/// Whatever goes wrong with one wheel is in its report; the others are still checked.
[[nodiscard]] Report check_wheels(const CheckRequest& request);

}  // namespace wheelcheck
