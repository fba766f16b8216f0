#include "rules/policy.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "rules/embedded.h"
#include "rules/glob.h"

namespace wheelcheck {
namespace {

/// The built-in policy is part of the program. A defect in it is one of the program, which the
/// tests find; going on without it would pass wheels unjudged.
template <class T>
T must(Result<T> result) {
  if (!result) {
    std::fprintf(stderr, "built-in policy: %s\n", result.error().message().c_str());
    std::abort();
  }
  return *std::move(result);
}

const std::string& distribution_of(const WheelFacts& wheel, std::string& buffer) {
  if (wheel.metadata && !wheel.metadata->name.empty()) {
    buffer = normalise_name(wheel.metadata->name);
  } else if (wheel.file_name) {
    buffer = wheel.file_name->normalised;
  }
  return buffer;
}

bool has_member(const WheelFacts& wheel, const std::string& glob) {
  return std::any_of(wheel.members.begin(), wheel.members.end(), [&](const MemberFacts& member) {
    return glob_match(glob, member.entry.path);
  });
}

std::string reason(const Profile& profile, Policy::Chosen chosen) {
  switch (chosen) {
    case Policy::Chosen::by_name:
      return "of the distribution's name";
    case Policy::Chosen::by_content: {
      std::string files;
      for (const std::string& glob : profile.requires_members) {
        files += (files.empty() ? "" : ", ") + glob;
      }
      return "the wheel holds " + files;
    }
    case Policy::Chosen::by_default:
      return "no other profile is for this wheel";
    case Policy::Chosen::by_the_user:
      return "it was asked for";
  }
  return {};
}

}  // namespace

void Policy::index_profiles() {
  for (const Profile& profile : profiles) {
    for (const Chosen how :
         {Chosen::by_name, Chosen::by_content, Chosen::by_default, Chosen::by_the_user}) {
      Profile& copy = chosen[{profile.name, how}];
      copy = profile;
      copy.chosen_because = reason(profile, how);
    }
  }
}

const std::vector<Profile>& Policy::built_in_profiles() {
  static const std::vector<Profile> profiles = must(parse_profiles(embedded::profiles_json()));
  return profiles;
}

const Policy& Policy::built_in() {
  // Left to the end of the process, which is sooner done with it.
  static const Policy& policy = *new Policy([] {
    Policy built;
    built.platforms = must(PlatformPolicies::parse(embedded::platforms_json()));
    built.providers = must(ProviderTable::parse(embedded::providers_json()));
    built.openings = must(OpeningTable::parse(embedded::openings_json()));
    built.trains = must(Trains::parse(embedded::trains_json()));
    built.profiles = built_in_profiles();
    built.index_profiles();
    return built;
  }());
  return policy;
}

const Profile* Policy::choose_profile(const WheelFacts& wheel, std::string_view name) const {
  const auto as = [&](const Profile& profile, Chosen how) -> const Profile* {
    const auto found = chosen.find({profile.name, how});
    return found == chosen.end() ? nullptr : &found->second;
  };
  if (!name.empty()) {
    for (const Profile& profile : profiles) {
      if (profile.name == name) return as(profile, Chosen::by_the_user);
    }
    return nullptr;
  }
  std::string buffer;
  const std::string& distribution = distribution_of(wheel, buffer);
  const auto has = [&](const std::string& glob) { return has_member(wheel, glob); };
  for (const Profile& profile : profiles) {
    if (profile.distributions.empty() && profile.requires_members.empty()) {
      return as(profile, Chosen::by_default);
    }
    if (std::any_of(profile.excludes_members.begin(), profile.excludes_members.end(), has)) {
      continue;
    }
    if (std::find(profile.distributions.begin(), profile.distributions.end(), distribution) !=
        profile.distributions.end()) {
      return as(profile, Chosen::by_name);
    }
    if (!profile.requires_members.empty() &&
        std::all_of(profile.requires_members.begin(), profile.requires_members.end(), has)) {
      return as(profile, Chosen::by_content);
    }
  }
  return nullptr;
}

}  // namespace wheelcheck
