#pragma once

#include <cstddef>
#include <cstdint>

namespace executorch::backends::cuda {

/// Bytes of an element of the type with this number (torch's numbers, which a program's are too),
/// or 0 for a type that no compiled library has.
constexpr std::size_t element_bytes(std::int32_t type) {
  switch (type) {
    case 0:   // uint8
    case 1:   // int8
    case 11:  // bool
      return 1;
    case 2:   // int16
    case 5:   // float16
    case 15:  // bfloat16
      return 2;
    case 3:  // int32
    case 6:  // float32
      return 4;
    case 4:  // int64
    case 7:  // float64
      return 8;
    default:
      return 0;
  }
}

}  // namespace executorch::backends::cuda
