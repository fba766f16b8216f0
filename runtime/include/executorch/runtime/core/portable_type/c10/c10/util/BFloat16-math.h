#pragma once

// Half and BFloat16 convert to float, so the functions of <cmath> take them and return float.

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <cmath>
