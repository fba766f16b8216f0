// What a library says, and the functions that only debugging builds or unsupported features call:
// they exist so that such a library loads, and say plainly that they do nothing when they are
// called.
#include <cstdio>
#include <stdexcept>
#include <string>

#include "shims/abi.h"
#include "shims/current_stream.h"
#include "shims/device_memory.h"
#include "shims/tensor.h"

namespace {

const char* text(const char* given) { return given != nullptr ? given : "?"; }

AOTITorchError unsupported(const char* name, const char* what) {
  return shims::shim(name, [&] { return shims::fail(shims::Error::kNotSupported, what); });
}

}  // namespace

void aoti_torch_warn(const char* function, const char* file, uint32_t line, const char* message) {
  std::fprintf(stderr, "warning: %s (%s, %s:%u)\n", text(message), text(function), text(file),
               static_cast<unsigned>(line));
}

void aoti_torch_check(bool condition, const char* function, const char* file, uint32_t line,
                      const char* message) {
  if (!condition) {
    throw std::runtime_error(std::string(text(message)) + " (" + text(function) + ", " +
                             text(file) + ":" + std::to_string(line) + ")");
  }
}

SHIMS_API AOTITorchError aoti_torch_check_inf_and_nan(const char* name, AtenTensorHandle) {
  return unsupported(__func__, text(name));
}

SHIMS_API void aoti_torch_print_tensor_handle(AtenTensorHandle handle, const char* message) {
  const shims::Tensor* tensor = shims::from_handle(handle);
  const bool defined = tensor != nullptr && tensor->storage;
  std::fprintf(stderr, "%s: %s %s\n", text(message),
               defined ? shims::dtype_name(tensor->dtype) : "no tensor",
               defined ? shims::to_string(tensor->shape).c_str() : "");
}

SHIMS_API void aoti_torch_save_tensor_handle(AtenTensorHandle, const char*, const char*,
                                             const char*) {
  std::fputs("warning: aoti_torch_save_tensor_handle: saving is not supported\n", stderr);
}

SHIMS_API AOTITorchError aoti_torch_proxy_executor_call_function(void*, int, int, int64_t*, int,
                                                                 AtenTensorHandle*) {
  return unsupported(__func__, "custom operators called through a proxy are not supported");
}

SHIMS_API AOTITorchError aoti_record_function_start(const char*, void*, const void*, std::size_t,
                                                    void** handle) {
  if (handle != nullptr) {
    *handle = nullptr;
  }
  return 0;
}
SHIMS_API AOTITorchError aoti_record_function_end(void*) { return 0; }
SHIMS_API AOTITorchError aoti_torch_delete_c10_value_object(void*) {
  return unsupported(__func__, "there are no such objects");
}

// Raw memory of the library's own, in the order of the current device's current stream.
SHIMS_API AOTITorchError aoti_torch_cuda_caching_allocator_raw_alloc(uint64_t bytes, void** ret) {
  return shims::shim(__func__, [&] {
    SHIMS_TRY(shims::checked_result(ret));
    int32_t device = 0;
    SHIMS_TRY(shims::resolve_device(-1, &device));
    cudaStream_t stream = nullptr;
    SHIMS_TRY(shims::current_stream(device, &stream));
    shims::DeviceBlock block;
    SHIMS_TRY(shims::allocate(device, stream, bytes, &block));
    *ret = block.data;
    return shims::Error::kOk;
  });
}

SHIMS_API AOTITorchError aoti_torch_cuda_caching_allocator_raw_delete(void* data) {
  return shims::shim(__func__, [&] {
    int32_t device = 0;
    SHIMS_TRY(shims::resolve_device(-1, &device));
    cudaStream_t stream = nullptr;
    SHIMS_TRY(shims::current_stream(device, &stream));
    shims::release({.data = data, .device = device, .stream = stream});
    return shims::Error::kOk;
  });
}
