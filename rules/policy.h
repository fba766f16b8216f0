#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "rules/platform_policy.h"
#include "rules/profile.h"
#include "rules/provider.h"
#include "rules/trains.h"

namespace wheelcheck {

/// Everything that is data rather than code: read from rules/policy/*.json, which are built into
/// the program. Loaded once.
struct Policy {
  PlatformPolicies platforms;  ///< system libraries and symbol versions per platform tag
  ProviderTable providers;     ///< who ships which library, where, and what it requires itself
  Trains trains;               ///< supported CUDA trains
  std::vector<Profile> profiles;

  /// The policy that is built in. A defect in it is a programming error, found by its test.
  [[nodiscard]] static const Policy& built_in();
  /// `name` empty: by distribution name and content. Null: there is no profile of that name.
  [[nodiscard]] const Profile* choose_profile(const WheelFacts& wheel, std::string_view name) const;
};

}  // namespace wheelcheck
