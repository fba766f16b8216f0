#include "python/src/element_types.h"

namespace executorch::python {

namespace {

using aten::ScalarType;
using nanobind::dlpack::dtype;
using nanobind::dlpack::dtype_code;

struct Row {
  ScalarType type;
  dtype_code code;
  std::uint8_t bits;
  bool in_numpy;
};

constexpr Row kRows[] = {
    {ScalarType::Byte, dtype_code::UInt, 8, true},
    {ScalarType::Char, dtype_code::Int, 8, true},
    {ScalarType::Short, dtype_code::Int, 16, true},
    {ScalarType::Int, dtype_code::Int, 32, true},
    {ScalarType::Long, dtype_code::Int, 64, true},
    {ScalarType::UInt16, dtype_code::UInt, 16, true},
    {ScalarType::UInt32, dtype_code::UInt, 32, true},
    {ScalarType::UInt64, dtype_code::UInt, 64, true},
    {ScalarType::Half, dtype_code::Float, 16, true},
    {ScalarType::Float, dtype_code::Float, 32, true},
    {ScalarType::Double, dtype_code::Float, 64, true},
    {ScalarType::BFloat16, dtype_code::Bfloat, 16, false},
    {ScalarType::ComplexHalf, dtype_code::Complex, 32, false},
    {ScalarType::ComplexFloat, dtype_code::Complex, 64, true},
    {ScalarType::ComplexDouble, dtype_code::Complex, 128, true},
    {ScalarType::Bool, dtype_code::Bool, 8, true},
    {ScalarType::Float8_e5m2, dtype_code::Float8_E5M2, 8, false},
    {ScalarType::Float8_e4m3fn, dtype_code::Float8_E4M3FN, 8, false},
    {ScalarType::Float8_e5m2fnuz, dtype_code::Float8_E5M2FNUZ, 8, false},
    {ScalarType::Float8_e4m3fnuz, dtype_code::Float8_E4M3FNUZ, 8, false},
};

dtype dtype_of(const Row& row) { return {static_cast<std::uint8_t>(row.code), row.bits, 1}; }

const Row* row_of(ScalarType type) {
  for (const Row& row : kRows) {
    if (row.type == type) return &row;
  }
  return nullptr;
}

}  // namespace

std::optional<ScalarType> scalar_type_of(dtype type) {
  for (const Row& row : kRows) {
    if (dtype_of(row) == type) return row.type;
  }
  return std::nullopt;
}

std::optional<dtype> dlpack_type_of(ScalarType type) {
  const Row* const row = row_of(type);
  return row == nullptr ? std::nullopt : std::optional(dtype_of(*row));
}

bool numpy_has(ScalarType type) {
  const Row* const row = row_of(type);
  return row != nullptr && row->in_numpy;
}

}  // namespace executorch::python
