#include "verifier/report/report.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <tuple>
#include <utility>

namespace wheelcheck {
namespace {

/// Place in the reading order: the wheel first, then members, then everything else.
std::size_t rank_of(const Finding& finding, const WheelFacts& wheel) {
  if (finding.place.empty()) return 0;
  const auto found = wheel.by_path.find(finding.place);
  if (found == wheel.by_path.end()) return std::numeric_limits<std::size_t>::max();
  return found->second + 1;
}

bool same_but_for_count(const Finding& a, const Finding& b) {
  return std::tie(a.rule, a.level, a.place, a.subject, a.what, a.needed_by, a.searched,
                  a.provided_by, a.fix) == std::tie(b.rule, b.level, b.place, b.subject, b.what,
                                                    b.needed_by, b.searched, b.provided_by, b.fix);
}

}  // namespace

std::uint64_t Tally::at_or_above(FailOn level) const {
  switch (level) {
    case FailOn::error:
      return errors;
    case FailOn::warning:
      return errors + warnings;
    case FailOn::note:
      return errors + warnings + notes;
    case FailOn::never:
      break;
  }
  return 0;
}

Tally& Tally::operator+=(const Tally& other) {
  errors += other.errors;
  warnings += other.warnings;
  notes += other.notes;
  return *this;
}

Tally WheelReport::tally() const {
  Tally sum;
  for (const Finding& finding : findings) {
    switch (finding.level) {
      case Level::error:
        ++sum.errors;
        break;
      case Level::warning:
        ++sum.warnings;
        break;
      case Level::note:
        ++sum.notes;
        break;
    }
  }
  return sum;
}

Tally Report::tally() const {
  Tally sum;
  for (const WheelReport& wheel : wheels) sum += wheel.tally();
  return sum;
}

int Report::exit_code() const {
  const bool complete =
      with_errors.empty() && std::all_of(wheels.begin(), wheels.end(),
                                         [](const WheelReport& wheel) { return wheel.complete(); });
  if (!complete) return kExitUnreadable;
  return tally().at_or_above(fail_on) == 0 ? kExitClean : kExitFindings;
}

void arrange(std::vector<Finding>& findings, const WheelFacts& wheel) {
  using Key = std::tuple<std::size_t, std::string_view, std::string_view, std::string_view,
                         std::string_view>;
  const auto key = [&wheel](const Finding& finding) {
    return Key(rank_of(finding, wheel), finding.place, finding.rule->id, finding.subject,
               finding.what);
  };
  // Stable: what a rule says twice about one thing stays in the rule's order.
  std::stable_sort(findings.begin(), findings.end(),
                   [&key](const Finding& a, const Finding& b) { return key(a) < key(b); });

  std::vector<Finding> folded;
  for (Finding& finding : findings) {
    // Equal keys are neighbours, but not all that have equal keys are identical.
    auto same = folded.rbegin();
    for (; same != folded.rend() && key(*same) == key(finding); ++same) {
      if (same_but_for_count(*same, finding)) break;
    }
    if (same != folded.rend() && same_but_for_count(*same, finding)) {
      same->count += finding.count;
    } else {
      folded.push_back(std::move(finding));
    }
  }
  findings = std::move(folded);
}

std::string_view level_name(Level level) {
  switch (level) {
    case Level::note:
      return "note";
    case Level::warning:
      return "warning";
    case Level::error:
      break;
  }
  return "error";
}

std::string_view fail_on_name(FailOn level) {
  switch (level) {
    case FailOn::error:
      return "error";
    case FailOn::warning:
      return "warning";
    case FailOn::note:
      return "note";
    case FailOn::never:
      break;
  }
  return "never";
}

std::string_view tool_version() { return WHEELCHECK_VERSION; }

}  // namespace wheelcheck
