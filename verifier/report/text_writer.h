#pragma once

#include <string>

#include "verifier/report/report.h"

namespace wheelcheck {

struct TextOptions {
  bool colour = false;
  bool quiet = false;    ///< findings only
  bool verbose = false;  ///< every finding and list in full, and why each rule matters
  bool stats = false;
  bool name_wheel = false;  ///< a heading for each wheel: there are several
};

/// Findings of one wheel, then its summary line.
[[nodiscard]] std::string text_of(const WheelReport& wheel, const TextOptions& options);
/// What concerns the run as a whole: --with inputs that failed, the total, the cost.
[[nodiscard]] std::string text_of_run(const Report& report, const TextOptions& options);
/// Both, for every wheel.
[[nodiscard]] std::string text_of(const Report& report, const TextOptions& options);

}  // namespace wheelcheck
