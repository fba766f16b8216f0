#pragma once

#include "verifier/wheel/facts.h"

namespace wheelcheck {

/// Finds the dist-info directories among the members and chooses the one that belongs to the
/// wheel: that of the file name's distribution and version if there is one, else the first.
void find_dist_info(WheelFacts& wheel);

/// Parses METADATA, WHEEL, entry_points.txt and top_level.txt from the members' kept text, and
/// works out where every member is installed. RECORD is parsed before: it says what is to be
/// hashed.
void read_dist_info(WheelFacts& wheel);

}  // namespace wheelcheck
