#pragma once

#include <stdint.h>

extern "C" {
/// A point in time in platform ticks; et_pal_ticks_to_ns_multiplier() says how long a tick is.
typedef uint64_t et_timestamp_t;
}
