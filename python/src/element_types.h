// The types of elements as the runtime and as DLPack name them.

#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <nanobind/ndarray.h>
#include <optional>

namespace executorch::python {

/// The runtime's type for one of DLPack's, nullopt when there is none.
std::optional<aten::ScalarType> scalar_type_of(nanobind::dlpack::dtype type);

/// DLPack's type for one of the runtime's, nullopt when there is none (quantised types, bits).
std::optional<nanobind::dlpack::dtype> dlpack_type_of(aten::ScalarType type);

/// Whether numpy has the type (it has no bfloat16 and no 8-bit floats).
bool numpy_has(aten::ScalarType type);

}  // namespace executorch::python
