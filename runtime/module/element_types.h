// Chooses code by element type.

#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/platform/assert.h>

namespace executorch::extension::internal {

/// Calls visit(T{}) with the C++ type of a type that holds real numbers or Booleans. Any other
/// type ends the process.
template <typename Visit>
void visit_number_type(aten::ScalarType type, Visit visit) {
  switch (type) {
#define ET_INTERNAL_VISIT(ctype, name) \
  case aten::ScalarType::name:         \
    visit(ctype{});                    \
    return;
    ET_FORALL_REALHBBF16_TYPES(ET_INTERNAL_VISIT)
#undef ET_INTERNAL_VISIT
    default:
      ET_CHECK_MSG(false, "elements of type %s are no numbers", runtime::toString(type));
  }
}

}  // namespace executorch::extension::internal
