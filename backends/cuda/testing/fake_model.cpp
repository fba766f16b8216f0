// A library like those that the exporter compiles, but without kernels: it works on memory that is
// the host's (fake_cuda.h). Built several times, each with another property; see CMakeLists.txt.
//   out0 = in0 + in1 (+ constants), floats; the sizes are those of in0.
// FAKE_CONSTANTS   a parameter "layer.w" and a buffer "layer.n", one float each; the buffer counts
// runs FAKE_OUTPUTS     3: the sum, the sum's handle once more, and a view of in1 FAKE_IMPORTS
// calls a function that nobody has FAKE_FAILS       fails to run, as a library does that a shim
// refuses FAKE_WRONG_TYPE  its output is of another type than the program says

#include <array>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "shims/abi.h"

#ifndef FAKE_CONSTANTS
#define FAKE_CONSTANTS 0
#endif
#ifndef FAKE_OUTPUTS
#define FAKE_OUTPUTS 1
#endif

extern "C" void fake_cuda_launch(void* stream, void (*kernel)(const void*), const void* state,
                                 std::size_t bytes);
extern "C" int cuModuleLoadData(void** module, const void* image);
SHIMS_API AOTITorchError aoti_torch_cuda_nobody_has_this(AtenTensorHandle);
SHIMS_API int32_t aoti_torch_dtype_float32();
SHIMS_API int32_t aoti_torch_dtype_int32();

namespace {

constexpr std::size_t kConstants = FAKE_CONSTANTS ? 2 : 0;
constexpr std::size_t kOutputs = FAKE_OUTPUTS;
struct Constant {
  const char* name;
  const char* fqn;
  int32_t type;
};
constexpr Constant kAll[] = {{"layer_w", "layer.w", 1}, {"layer_n", "layer.n", 2}};

struct Pair {
  const char* name;
  AtenTensorHandle tensor;
};

struct Container {
  std::array<float*, 2> constants{};
  std::array<float, 2> own{};
};

float* data_of(AtenTensorHandle tensor) {
  void* data = nullptr;
  aoti_torch_get_data_ptr(tensor, &data);
  return static_cast<float*>(data);
}

// The model, as what a kernel is given and what it does.
struct Work {
  const float* a;
  const float* b;
  float* to;
  int64_t count;
  std::array<float*, 2> constants;
};
void add(const void* state) {
  const Work& work = *static_cast<const Work*>(state);
  float added = 0;
  for (std::size_t i = 0; i < kConstants; ++i) added += *work.constants[i];
  for (int64_t i = 0; i < work.count; ++i) work.to[i] = work.a[i] + work.b[i] + added;
  if (kConstants > 1) *work.constants[1] += 1;
}

int run(Container* self, AtenTensorHandle* in, std::size_t n_in, AtenTensorHandle* out,
        std::size_t n_out, void* stream) {
  if (n_in != 2 || n_out != kOutputs) return 1;
#ifdef FAKE_IMPORTS
  aoti_torch_cuda_nobody_has_this(in[0]);
#endif
  const std::array<AtenTensorHandle, 2> mine = {in[0], in[1]};
  in[0] = in[1] = nullptr;
  CUDAStreamGuardHandle guard = nullptr;
  int code = aoti_torch_create_cuda_stream_guard(stream, 0, &guard);
  int64_t* sizes = nullptr;
  int64_t ndim = 0;
  int64_t numel = 0;
  if (code == 0) code = aoti_torch_get_sizes(mine[0], &sizes);
  if (code == 0) code = aoti_torch_get_dim(mine[0], &ndim);
  if (code == 0) code = aoti_torch_get_numel(mine[0], &numel);
#ifdef FAKE_WRONG_TYPE
  const int32_t dtype = aoti_torch_dtype_int32();
#else
  const int32_t dtype = aoti_torch_dtype_float32();
#endif
  AtenTensorHandle sum = nullptr;
  if (code == 0) code = aoti_torch_empty_strided(ndim, sizes, nullptr, dtype, 1, 0, &sum);
#ifdef FAKE_FAILS
  if (code == 0) code = aoti_torch_get_sizes(nullptr, &sizes);
#endif
  if (code == 0) {
    const Work work = {data_of(mine[0]), data_of(mine[1]), data_of(sum), numel, self->constants};
    fake_cuda_launch(stream, &add, &work, sizeof work);
    out[0] = sum;
    if (kOutputs == 3) {
      out[1] = sum;
      code = aoti_torch_new_tensor_handle(mine[1], &out[2]);
    }
  } else if (sum != nullptr) {
    aoti_torch_delete_tensor_object(sum);
  }
  for (AtenTensorHandle one : mine) aoti_torch_delete_tensor_object(one);
  if (guard != nullptr) aoti_torch_delete_cuda_stream_guard(guard);
  return code == 0 ? 0 : 1;
}

}  // namespace

SHIMS_API int AOTInductorModelContainerCreateWithDevice(Container** ret, std::size_t, const char*,
                                                        const char*) {
  *ret = new Container();
  // As those of an export do, for each instance.
  static const char kCode[] = "code of a kernel";
  void* module = nullptr;
  return cuModuleLoadData(&module, kCode);
}
SHIMS_API int AOTInductorModelContainerDelete(Container* self) {
  delete self;
  return 0;
}
SHIMS_API int AOTInductorModelContainerGetNumInputs(Container*, std::size_t* ret) {
  *ret = 2;
  return 0;
}
SHIMS_API int AOTInductorModelContainerGetNumOutputs(Container*, std::size_t* ret) {
  *ret = kOutputs;
  return 0;
}
SHIMS_API int AOTInductorModelContainerRun(Container* self, AtenTensorHandle* in, std::size_t n_in,
                                           AtenTensorHandle* out, std::size_t n_out, void* stream,
                                           void*) {
  return run(self, in, n_in, out, n_out, stream);
}
SHIMS_API int AOTInductorModelContainerGetNumConstants(Container*, std::size_t* ret) {
  *ret = kConstants;
  return 0;
}
SHIMS_API int AOTInductorModelContainerGetConstantName(Container*, std::size_t i,
                                                       const char** ret) {
  *ret = kAll[i].name;
  return 0;
}
SHIMS_API int AOTInductorModelContainerGetConstantOriginalFQN(Container*, std::size_t i,
                                                              const char** ret) {
  *ret = kAll[i].fqn;
  return 0;
}
SHIMS_API int AOTInductorModelContainerGetConstantType(Container*, std::size_t i, int32_t* ret) {
  *ret = kAll[i].type;
  return 0;
}
SHIMS_API int AOTInductorModelContainerGetConstantDtype(Container*, std::size_t, int32_t* ret) {
  *ret = aoti_torch_dtype_float32();
  return 0;
}
SHIMS_API int AOTInductorModelContainerGetConstantDataSize(Container*, std::size_t,
                                                           std::size_t* ret) {
  *ret = sizeof(float);
  return 0;
}
SHIMS_API int AOTInductorModelContainerUpdateUserManagedConstantBufferPairs(Container* self,
                                                                            const Pair* pairs,
                                                                            std::size_t count, bool,
                                                                            bool) {
  for (std::size_t i = 0; i < count; ++i) {
    for (std::size_t k = 0; k < kConstants; ++k) {
      if (std::strcmp(pairs[i].name, kAll[k].name) == 0) {
        self->constants[k] = data_of(pairs[i].tensor);
      }
    }
  }
  return 0;
}
SHIMS_API int AOTInductorModelUpdateConstantsFromBlob(Container* self, const uint8_t* blob) {
  std::memcpy(self->own.data(), blob, kConstants * sizeof(float));
  for (std::size_t k = 0; k < kConstants; ++k) self->constants[k] = &self->own[k];
  return 0;
}
