#include "verifier/check/check.h"

#include <algorithm>
#include <chrono>
#include <span>
#include <utility>

#include "rules/policy.h"
#include "verifier/check/given.h"
#include "verifier/loader/install_tree.h"
#include "verifier/loader/resolution.h"

namespace wheelcheck {
namespace {

using Clock = std::chrono::steady_clock;

/// Whether some profile that may be chosen for a wheel of this name judges local symbols. Only the
/// content decides which profile it is, but the content is read once.
bool may_want_local_symbols(const Policy& policy, const std::string& file,
                            const std::string& profile) {
  const auto name = parse_wheel_filename(file);
  return std::any_of(policy.profiles.begin(), policy.profiles.end(), [&](const Profile& candidate) {
    if (candidate.groups.empty()) return false;
    if (!profile.empty()) return candidate.name == profile;
    const auto& names = candidate.distributions;
    return names.empty() ||
           (name && std::find(names.begin(), names.end(), name->normalised) != names.end());
  });
}

class Check {
 public:
  explicit Check(const CheckRequest& request) : request_(request), policy_(Policy::built_in()) {}

  Report run() {
    Report report;
    report.fail_on = request_.fail_on;
    report.rules_run = static_cast<std::uint32_t>(request_.rules.size());
    for (const std::string& path : request_.with) given_.add(path, options_for(path));
    report.with_errors = given_.errors();
    for (const std::string& file : request_.wheels) {
      const auto start = Clock::now();
      WheelReport wheel = check(file);
      wheel.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
      if (request_.wheel_done) request_.wheel_done(wheel);
      report.wheels.push_back(std::move(wheel));
    }
    return report;
  }

 private:
  ScanOptions options_for(const std::string& file) const {
    ScanOptions options = request_.scan;
    options.want_local_symbols = false;
    options.progress = nullptr;
    if (request_.progress) {
      options.progress = [this, file](std::uint64_t done, std::uint64_t total) {
        request_.progress(file, done, total);
      };
    }
    return options;
  }

  WheelReport check(const std::string& file) {
    WheelReport report;
    report.file = file;
    ScanOptions options = options_for(file);
    options.want_local_symbols = may_want_local_symbols(policy_, file, request_.profile);
    auto facts = scan_wheel(file, options);
    const Profile* chosen = facts ? policy_.choose_profile(*facts, request_.profile) : nullptr;
    if (facts && chosen && !chosen->groups.empty() && !options.want_local_symbols) {
      // The file name did not tell; rare enough to read such a wheel once more.
      options.want_local_symbols = true;
      facts = scan_wheel(file, options);
    }
    if (!facts) {
      report.unreadable = facts.error();
      return report;
    }
    if (chosen == nullptr) {
      report.unreadable = Error{file, "no profile is for it", {}};
      return report;
    }
    report.profile = chosen->name;
    report.profile_because = chosen->chosen_because;
    report.stats = facts->stats;
    for (const MemberFacts& member : facts->members) {
      if (member.unread) report.unread.push_back({member.entry.path, *member.unread});
    }
    judge(*facts, *chosen, report);
    return report;
  }

  void judge(const WheelFacts& facts, const Profile& profile, WheelReport& report) const {
    const std::vector<const WheelFacts*> given = given_.suiting(facts);
    const InstallTree tree = install(facts, given, policy_, profile);
    const Resolution resolution = resolve(tree);
    const Context context{facts, tree, resolution, policy_, profile};
    for (const Rule* rule : request_.rules) {
      std::vector<Finding> found = rule->judge(context, rule->row);
      std::move(found.begin(), found.end(), std::back_inserter(report.findings));
    }
    arrange(report.findings, facts);
  }

  const CheckRequest& request_;
  const Policy& policy_;
  GivenPackages given_;
};

}  // namespace

Report check_wheels(const CheckRequest& request) { return Check(request).run(); }

}  // namespace wheelcheck
