#include "verifier/check/check.h"

#include <algorithm>
#include <chrono>
#include <future>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "rules/policy.h"
#include "rules/system_symbols.h"
#include "verifier/check/given.h"
#include "verifier/check/local_symbols.h"
#include "verifier/loader/install_tree.h"
#include "verifier/loader/resolution.h"
#include "verifier/scan/work_queue.h"

namespace wheelcheck {
namespace {

using Clock = std::chrono::steady_clock;

/// A wheel that is judged, and what was made of it.
struct Subject {
  explicit Subject(WheelFacts read) : facts(std::move(read)) {}

  WheelFacts facts;
  std::optional<InstallTree> tree;
  std::optional<Resolution> resolution;
};

/// The last one stays until the next one comes, or until the process ends: taking thousands of
/// members apart takes as long as several rules.
std::unique_ptr<Subject>& last_subject() {
  static auto* const last = new std::unique_ptr<Subject>();
  return *last;
}

class Check {
 public:
  explicit Check(const CheckRequest& request)
      : request_(request),
        // Reading the policy takes as long as a small wheel, and is not needed before judging.
        policy_(std::async(std::launch::async,
                           [] {
                             const Policy* policy = &Policy::built_in();
                             static_cast<void>(SystemSymbols::built_in(""));
                             return policy;
                           })),
        given_(request.cache ? FactsCache::of_user() : nullptr) {}

  Report run() {
    Report report;
    report.fail_on = request_.fail_on;
    report.rules_run = static_cast<std::uint32_t>(request_.rules.size());
    for (const std::string& path : request_.with) given_.add(path, options_for(path));
    const std::vector<SitePackagesFolder>& installed = request_.surroundings.site_packages;
    for (const SitePackagesFolder& folder : installed) {
      given_.add(folder.path, installed, options_for(folder.path));
    }
    report.with_errors = given_.errors();
    report.beside = given_.stats();
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
    report.surroundings = request_.surroundings.told();
    last_subject().reset();
    ScanOptions options = options_for(file);
    options.want_local_symbols =
        local_symbols_expected(Policy::built_in_profiles(), file, request_.profile);
    auto facts = scan_wheel(file, options);
    const Profile* chosen = facts ? policy().choose_profile(*facts, request_.profile) : nullptr;
    if (chosen != nullptr && !options.want_local_symbols && local_symbols_wanted(*chosen, *facts)) {
      // The name did not tell. Few wheels are like that, so such a one is read once more.
      const ScanStats first = facts->stats;
      options.want_local_symbols = true;
      facts = scan_wheel(file, options);
      if (facts) {
        facts->stats.second_passes += first.members + first.second_passes;
        facts->stats.second_pass_bytes += first.inflated_bytes + first.second_pass_bytes;
      }
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
    last_subject() = std::make_unique<Subject>(*std::move(facts));
    report.unreadable = judge(*last_subject(), *chosen, report);
    return report;
  }

  std::optional<Error> judge(Subject& subject, const Profile& profile, WheelReport& report) const {
    const WheelContext by_itself{subject.facts, policy(), profile};
    std::vector<std::vector<Finding>> found(request_.rules.size());
    const auto indices = [&](bool needs_tree) {
      std::vector<std::size_t> of_kind;
      for (std::size_t i = 0; i < found.size(); ++i) {
        if (request_.rules[i]->judge.needs_tree() == needs_tree) of_kind.push_back(i);
      }
      return of_kind;
    };
    const auto judge_by = [&](std::size_t i, const auto& context) {
      const Rule& rule = *request_.rules[i];
      found[i] = rule.judge(context, rule.row);
    };
    // Rules look at facts only, so they run side by side; findings keep the order of the rules.
    // Laying the wheel down keeps one thread busy, while the others judge what lies in the wheel.
    std::optional<Error> failure;
    const std::vector<std::size_t> of_wheel = indices(false);
    run_in_parallel(1 + of_wheel.size(), request_.scan.threads, [&]() {
      return [&](std::size_t i) {
        if (i == 0) {
          failure = lay_down(subject, profile, report.file);
        } else {
          judge_by(of_wheel[i - 1], by_itself);
        }
      };
    });
    if (failure) return failure;
    Context context{by_itself, *subject.tree, *subject.resolution};
    const Surroundings& around = request_.surroundings;
    context.of_this_machine = around.host;
    context.as_installed = !around.site_packages.empty();
    context.layout_is_told = around.layout.has_value() || context.as_installed;
    const std::vector<std::size_t> of_tree = by_turns(indices(true));
    run_in_parallel(of_tree.size(), request_.scan.threads,
                    [&]() { return [&](std::size_t i) { judge_by(of_tree[i], context); }; });
    for (std::vector<Finding>& of_rule : found) {
      std::move(of_rule.begin(), of_rule.end(), std::back_inserter(report.findings));
    }
    arrange(report.findings, subject.facts);
    return std::nullopt;
  }

  /// One rule of each family, then the next one of each: rules of a family wait for each other
  /// where they share what is costly to find out.
  std::vector<std::size_t> by_turns(std::vector<std::size_t> indices) const {
    std::map<char, std::size_t> of_family;
    std::vector<std::pair<std::size_t, std::size_t>> turns;
    for (const std::size_t i : indices) {
      turns.emplace_back(of_family[request_.rules[i]->row.id[2]]++, i);
    }
    std::stable_sort(turns.begin(), turns.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    std::transform(turns.begin(), turns.end(), indices.begin(),
                   [](const auto& turn) { return turn.second; });
    return indices;
  }

  /// Where the wheel's files lie with what they need, and what each of them loads.
  std::optional<Error> lay_down(Subject& subject, const Profile& profile,
                                const std::string& file) const {
    const std::vector<const WheelFacts*> given = given_.suiting(subject.facts);
    const Surroundings& around = request_.surroundings;
    InstallTree& tree =
        subject.tree.emplace(install(subject.facts, given, policy(), profile,
                                     !around.site_packages.empty(), around.taken_layout()));
    LoaderOptions loader;
    auto machine = around.machine();
    if (!machine) return machine.error();
    loader.machine = *std::move(machine);
    const auto beside = lay_machine_beside(tree, loader.machine, around, file);
    if (!beside) return beside.error();
    auto preloads = preloads_of(tree, around.preload, file);
    if (!preloads) return preloads.error();
    loader.preloads = *std::move(preloads);
    add_openings(loader, tree, policy().openings);
    subject.resolution.emplace(resolve(tree, loader));
    return std::nullopt;
  }

  const Policy& policy() const { return *policy_.get(); }

  const CheckRequest& request_;
  std::shared_future<const Policy*> policy_;
  GivenPackages given_;
};

}  // namespace

Report check_wheels(const CheckRequest& request) { return Check(request).run(); }

}  // namespace wheelcheck
