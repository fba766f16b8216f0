#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "rules/policy.h"
#include "rules/profile.h"
#include "rules/provider.h"
#include "rules/rule.h"
#include "rules/testing.h"
#include "rules/testing_seen.h"
#include "verifier/loader/resolution.h"

namespace wheelcheck::testing {

/// What a check was told of the place where the wheel will run.
struct Place {
  Machine machine;
  InstallTree::Description files;  ///< of the machine
  bool of_this_machine = false;
  bool as_installed = false;
  std::optional<SitePackagesLayout> layout;
};

/// What one family of rules says of a wheel, with the policy that is built in.
class Judged {
 public:
  Judged(WheelBuilder& builder, std::span<const Rule> rules, std::string_view profile = "generic",
         std::vector<const WheelFacts*> given = {}, const Place& place = {})
      : wheel_(builder.build()) {
    const Policy& policy = Policy::built_in();
    const Profile* chosen = policy.choose_profile(wheel_, profile);
    if (chosen == nullptr) return;
    InstallTree tree = install(wheel_, given, policy, *chosen, place.as_installed,
                               place.layout.value_or(SitePackagesLayout::joined));
    if (!place.files.plain_files.empty()) tree.add_machine(place.files);
    LoaderOptions options;
    options.machine = place.machine;
    add_openings(options, tree, policy.openings);
    const Resolution resolution = resolve(tree, options);
    Context context{{wheel_, policy, *chosen}, tree, resolution};
    context.of_this_machine = place.of_this_machine;
    context.as_installed = place.as_installed;
    context.layout_is_told = place.layout.has_value();
    for (const Rule& rule : rules) {
      std::vector<Finding> said = rule.judge(context, rule.row);
      SeenRules::note(rule, !said.empty());
      for (Finding& finding : said) findings_.push_back(std::move(finding));
    }
  }

  [[nodiscard]] const std::vector<Finding>& findings() const { return findings_; }
  /// Those of one rule.
  [[nodiscard]] std::vector<Finding> findings(std::string_view slug) const {
    std::vector<Finding> chosen;
    for (const Finding& finding : findings_) {
      if (std::string_view(finding.rule->slug) == slug) chosen.push_back(finding);
    }
    return chosen;
  }

  /// "error needed-not-found libx.so", one for each finding, notes left out unless asked for.
  [[nodiscard]] std::vector<std::string> said(Level from = Level::warning) const {
    std::vector<std::string> lines;
    for (const Finding& finding : findings_) {
      if (finding.level < from) continue;
      const char* level = finding.level == Level::error     ? "error "
                          : finding.level == Level::warning ? "warning "
                                                            : "note ";
      lines.push_back(level + std::string(finding.rule->slug) + " " + finding.subject);
    }
    return lines;
  }

 private:
  WheelFacts wheel_;
  std::vector<Finding> findings_;
};

}  // namespace wheelcheck::testing
