#pragma once

#include <c10/util/bit_cast.h>
