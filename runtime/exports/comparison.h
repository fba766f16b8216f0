// Says whether an output is what PyTorch computed.

#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <string>

#include "runtime/exports/export_files.h"

namespace executorch::exports {

/// An empty text if the tensor has the reference's type, sizes and elements, else what differs
/// first. Elements of a floating-point type may differ by 1e-5 of the larger of the element itself
/// and the largest finite element of the reference; infinities and NaN must be in their places.
/// All other types are compared exactly.
std::string difference(const aten::Tensor& tensor, const TensorFile& reference);

}  // namespace executorch::exports
