// Numbers that compiled libraries ask for instead of knowing them, and functions that answer the
// same to everyone.
#include "shims/abi.h"
#include "shims/dtype.h"
#include "shims/error.h"
#include "shims/tensor.h"

#define SHIMS_DTYPE_FUNCTION(enumerator, name, bytes)      \
  SHIMS_API int32_t aoti_torch_dtype_##name() {            \
    return static_cast<int32_t>(shims::DType::enumerator); \
  }
SHIMS_FOR_EACH_DTYPE(SHIMS_DTYPE_FUNCTION)
#undef SHIMS_DTYPE_FUNCTION

SHIMS_API std::size_t aoti_torch_dtype_element_size(int32_t dtype) {
  return shims::element_size(dtype);
}

SHIMS_API int32_t aoti_torch_device_type_cpu() { return 0; }
SHIMS_API int32_t aoti_torch_device_type_cuda() { return 1; }
SHIMS_API int32_t aoti_torch_device_type_meta() { return 14; }
SHIMS_API int32_t aoti_torch_layout_strided() { return 0; }

// Gradients do not exist here: switching them off succeeds, switching them on cannot.
SHIMS_API bool aoti_torch_grad_mode_is_enabled() { return false; }
SHIMS_API AOTITorchError aoti_torch_grad_mode_set_enabled(bool enabled) {
  return shims::shim("aoti_torch_grad_mode_set_enabled", [&] {
    return enabled ? shims::fail(shims::Error::kNotSupported, "there are no gradients to enable")
                   : shims::Error::kOk;
  });
}
