// Follows the requirements of a wheel and lays down what they bring.
#include <deque>

#include "rules/policy.h"
#include "rules/profile.h"
#include "rules/provider.h"

namespace wheelcheck {

namespace {

/// A set of requirement lines to follow.
struct Step {
  const std::vector<Requirement>* requirements = nullptr;
  std::set<std::string> extras;    ///< asked for by whoever leads here
  std::vector<std::string> chain;  ///< requirement lines so far
  std::string extra;               ///< of the subject, on which all of it depends
  bool host = false;               ///< only because policy expects a host
};

std::string name_of(const WheelFacts& wheel) {
  if (wheel.metadata && !wheel.metadata->name.empty()) return normalise_name(wheel.metadata->name);
  return wheel.file_name ? wheel.file_name->normalised : std::string();
}

MarkerEnvironment environment_of(const WheelFacts& wheel, const PlatformPolicy* policy) {
  std::string python = "py3";
  if (wheel.file_name && !wheel.file_name->pythons.empty()) {
    python = newest_python(wheel.file_name->pythons);
  } else if (wheel.wheel && !wheel.wheel->tags.empty()) {
    std::vector<std::string> pythons;
    for (const Tag& tag : wheel.wheel->tags) pythons.push_back(tag.python);
    python = newest_python(pythons);
  }
  Platform platform;
  platform.kind = PlatformKind::manylinux;
  platform.arch = "x86_64";
  const std::vector<Platform> platforms = platforms_of(wheel);
  if (!platforms.empty()) platform = platforms.front();
  if (policy != nullptr) platform.arch = policy->arch;  // "any" with ELF files: their machine
  return marker_environment(platform, python);
}

/// One link of the chain that leads to a package: the wheel's own line as it is written, but for
/// its marker; behind it the names, since the table's bounds are those of one version only.
std::string link_text(const Requirement& requirement, bool own) {
  if (!own) return requirement.normalised;
  std::string text = requirement.text.substr(0, requirement.text.find(';'));
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

class Installation {
 public:
  Installation(const WheelFacts& wheel, std::span<const WheelFacts* const> given,
               const Policy& policy, bool only_given)
      : wheel_(wheel),
        policy_(policy),
        only_given_(only_given),
        platform_(strictest(policy.platforms, wheel)),
        environment_(environment_of(wheel, platform_)) {
    for (const WheelFacts* other : given) {
      const std::string name = name_of(*other);
      // What importing a package does is not seen in its files: that stays the table's word.
      const auto rows = policy.providers.rows(name);
      const bool preloads = !rows.empty() && rows.front().preloads;
      given_.try_emplace(name, InstallTree::Given{other, {}, {}, false, false, preloads});
    }
  }

  void follow_requirements() {
    if (!wheel_.metadata) return;
    const Metadata& metadata = *wheel_.metadata;
    follow({&metadata.requires_dist, {}, {}, {}, false});
    for (const std::string& extra : metadata.provides_extra) {
      follow({&metadata.requires_dist, {extra}, {}, extra, false});
    }
  }

  void follow_host(const Host& host) {
    auto requirement = Requirement::parse(host.distribution);
    if (!requirement) return;
    const std::vector<Requirement> line{*std::move(requirement)};
    follow({&line, {}, {"expected to be present"}, {}, true});
  }

  InstallTree build(SitePackagesLayout layout) {
    InstallTree::Description description;
    description.layout = layout;
    description.subject = &wheel_;
    for (auto& [name, given] : given_) description.given.push_back(std::move(given));
    description.declared = std::move(declared_);
    description.loader = LoaderKind::none;
    if (platform_ != nullptr) {
      description.loader =
          platform_->kind == PlatformKind::musllinux ? LoaderKind::musl : LoaderKind::glibc;
      description.system_libraries = platform_->libraries;
    }
    return InstallTree(std::move(description));
  }

 private:
  void follow(Step first) {
    std::deque<Step> steps{std::move(first)};
    while (!steps.empty()) {
      const Step step = std::move(steps.front());
      steps.pop_front();
      for (const Requirement& requirement : *step.requirements) {
        if (!requirement.applies(environment_, step.extras)) continue;
        // The lines that hold without the extra have been followed before.
        Step next;
        next.extras.insert(requirement.extras.begin(), requirement.extras.end());
        next.chain = step.chain;
        next.chain.push_back(link_text(requirement, step.chain.empty()));
        next.extra = step.extra;
        next.host = step.host;
        if (enter(requirement, next)) steps.push_back(std::move(next));
      }
    }
  }

  /// Finds what a requirement brings. False: nothing is known of it, or it has been followed.
  bool enter(const Requirement& requirement, Step& next) {
    const std::string& name = requirement.normalised;
    std::string key = name;
    for (const std::string& extra : next.extras) key += "," + extra;
    if (!entered_.insert(key).second) return false;
    if (name == name_of(wheel_)) {
      next.requirements = &wheel_.metadata->requires_dist;
      return !next.extras.empty();
    }
    const auto given = given_.find(name);
    if (given != given_.end()) {
      if (!given->second.required && !given->second.host) {
        given->second.required = !next.host;
        given->second.host = next.host;
        given->second.chain = next.chain;
        given->second.extra = next.extra;
      }
      if (!given->second.wheel->metadata) return false;
      next.requirements = &given->second.wheel->metadata->requires_dist;
      return true;
    }
    const ProviderRow* row = only_given_ ? nullptr : policy_.providers.choose(requirement);
    if (row == nullptr) return false;
    next.requirements = &row->requires_dist;
    if (!row->libraries.empty() && declared_names_.insert(name).second) {
      DeclaredPackage package;
      package.distribution = name;
      package.versions = row->versions.str();
      package.kind = next.host ? PackageKind::host : PackageKind::declared;
      package.chain = next.chain;
      package.extra = next.extra;
      package.preloads = row->preloads;
      package.libraries = row->libraries;
      declared_.push_back(std::move(package));
    }
    return true;
  }

  const WheelFacts& wheel_;
  const Policy& policy_;
  const bool only_given_;
  const PlatformPolicy* platform_;
  MarkerEnvironment environment_;
  std::map<std::string, InstallTree::Given> given_;
  std::vector<DeclaredPackage> declared_;
  std::set<std::string> declared_names_;
  std::set<std::string> entered_;
};

}  // namespace

InstallTree install(const WheelFacts& wheel, std::span<const WheelFacts* const> given,
                    const Policy& policy, const Profile& profile, bool only_given,
                    SitePackagesLayout layout) {
  Installation installation(wheel, given, policy, only_given);
  installation.follow_requirements();
  for (const Host& host : profile.hosts) installation.follow_host(host);
  return installation.build(layout);
}

}  // namespace wheelcheck
