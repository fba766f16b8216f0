#pragma once

#include <cstdint>

// Elements of quantised tensors. They are opaque: kernels look at val_.
#define ET_INTERNAL_OPAQUE_TYPE(name, storage) \
  struct alignas(sizeof(storage)) name {       \
    using underlying = storage;                \
    storage val_;                              \
    name() = default;                          \
    explicit name(storage val) : val_(val) {}  \
  }

namespace executorch::runtime::etensor {

ET_INTERNAL_OPAQUE_TYPE(qint8, int8_t);
ET_INTERNAL_OPAQUE_TYPE(quint8, uint8_t);
ET_INTERNAL_OPAQUE_TYPE(qint32, int32_t);
/// Two elements of 4 bits.
ET_INTERNAL_OPAQUE_TYPE(quint4x2, uint8_t);
/// Four elements of 2 bits.
ET_INTERNAL_OPAQUE_TYPE(quint2x4, uint8_t);

}  // namespace executorch::runtime::etensor

namespace torch::executor {
using ::executorch::runtime::etensor::qint32;
using ::executorch::runtime::etensor::qint8;
using ::executorch::runtime::etensor::quint2x4;
using ::executorch::runtime::etensor::quint4x2;
using ::executorch::runtime::etensor::quint8;
}  // namespace torch::executor
