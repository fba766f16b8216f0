#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "rules/openings.h"
#include "rules/platform_policy.h"
#include "rules/profile.h"
#include "rules/provider.h"
#include "rules/trains.h"

namespace wheelcheck {

/// Everything that is data rather than code: read from rules/policy/*.json, which are built into
/// the program. Loaded once.
struct Policy {
  PlatformPolicies platforms;     ///< system libraries and symbol versions per platform tag
  ProviderTable providers;        ///< who ships which library, where, and what it requires itself
  Trains trains;                  ///< supported CUDA trains
  OpeningTable openings;          ///< what the Python of known packages opens by ctypes
  std::vector<Profile> profiles;  ///< the first that fits is chosen; the generic one is last

  /// The policy that is built in. A defect in it is a programming error, found by its test.
  [[nodiscard]] static const Policy& built_in();
  /// Its profiles alone, which are read in a tenth of the time.
  [[nodiscard]] static const std::vector<Profile>& built_in_profiles();
  /// `name` empty: by distribution name and content. Null: there is no profile of that name.
  /// What is returned lives as long as the policy and says why it was chosen.
  [[nodiscard]] const Profile* choose_profile(const WheelFacts& wheel, std::string_view name) const;

  /// One copy of each profile for each way of choosing it, filled by index_profiles().
  enum class Chosen { by_name, by_content, by_default, by_the_user };
  void index_profiles();
  std::map<std::pair<std::string, Chosen>, Profile> chosen;
};

}  // namespace wheelcheck
