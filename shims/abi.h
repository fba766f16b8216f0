#pragma once

#include <cstddef>
#include <cstdint>

/// The C functions that a library compiled by AOTInductor imports. Names, argument order and codes
/// are the interface; what stands behind a handle is ours alone, and callers never look inside.
///
/// Every function returns 0 or an Error code below, and writes a sentence for the failure where
/// `executorch_cuda_shims_last_error` finds it. Every `T** ret` receives a new handle that the
/// caller gives back with aoti_torch_delete_tensor_object. Nothing throws, except aoti_torch_check,
/// whose signature has no other way to stop its caller.
#define SHIMS_API extern "C" __attribute__((visibility("default")))

struct AtenTensorOpaque;
struct CUDAGuardOpaque;
struct CUDAStreamGuardOpaque;
using AtenTensorHandle = AtenTensorOpaque*;
using CUDAGuardHandle = CUDAGuardOpaque*;
using CUDAStreamGuardHandle = CUDAStreamGuardOpaque*;
using AOTITorchError = int32_t;

/// The sentence that explains the last failure on this thread; empty when there was none. Valid
/// until the next call of a shim on this thread.
SHIMS_API const char* executorch_cuda_shims_last_error();
/// Forgets it.
SHIMS_API void executorch_cuda_shims_clear_last_error();

// Ids (ids.cpp) are declared where they are defined: they take nothing and cannot fail.

// Reading a tensor (metadata.cpp). Arrays stay the tensor's and live as long as the handle.
SHIMS_API AOTITorchError aoti_torch_get_data_ptr(AtenTensorHandle, void** ret);
SHIMS_API AOTITorchError aoti_torch_get_const_data_ptr(AtenTensorHandle, const void** ret);
SHIMS_API AOTITorchError aoti_torch_get_mutable_data_ptr(AtenTensorHandle, void** ret);
SHIMS_API AOTITorchError aoti_torch_get_sizes(AtenTensorHandle, int64_t** ret);
SHIMS_API AOTITorchError aoti_torch_get_strides(AtenTensorHandle, int64_t** ret);
SHIMS_API AOTITorchError aoti_torch_get_size(AtenTensorHandle, int64_t dim, int64_t* ret);
SHIMS_API AOTITorchError aoti_torch_get_stride(AtenTensorHandle, int64_t dim, int64_t* ret);
SHIMS_API AOTITorchError aoti_torch_get_dim(AtenTensorHandle, int64_t* ret);
SHIMS_API AOTITorchError aoti_torch_get_numel(AtenTensorHandle, int64_t* ret);
SHIMS_API AOTITorchError aoti_torch_get_storage_offset(AtenTensorHandle, int64_t* ret);
/// In bytes.
SHIMS_API AOTITorchError aoti_torch_get_storage_size(AtenTensorHandle, int64_t* ret);
SHIMS_API AOTITorchError aoti_torch_get_dtype(AtenTensorHandle, int32_t* ret);
SHIMS_API AOTITorchError aoti_torch_get_device_type(AtenTensorHandle, int32_t* ret);
SHIMS_API AOTITorchError aoti_torch_get_device_index(AtenTensorHandle, int32_t* ret);
SHIMS_API AOTITorchError aoti_torch_get_layout(AtenTensorHandle, int32_t* ret);
SHIMS_API AOTITorchError aoti_torch_is_contiguous(AtenTensorHandle, bool* ret);
SHIMS_API AOTITorchError aoti_torch_is_defined(AtenTensorHandle, bool* ret);

// Making tensors and views (creation.cpp). Null strides mean contiguous.
SHIMS_API AOTITorchError aoti_torch_create_tensor_from_blob(
    void* data, int64_t ndim, const int64_t* sizes, const int64_t* strides, int64_t storage_offset,
    int32_t dtype, int32_t device_type, int32_t device_index, AtenTensorHandle* ret);
SHIMS_API AOTITorchError aoti_torch_create_tensor_from_blob_v2(
    void* data, int64_t ndim, const int64_t* sizes, const int64_t* strides, int64_t storage_offset,
    int32_t dtype, int32_t device_type, int32_t device_index, AtenTensorHandle* ret, int32_t layout,
    const uint8_t* opaque_metadata, int64_t opaque_metadata_size);
/// Device memory comes from the current stream of the device (current_stream.h).
SHIMS_API AOTITorchError aoti_torch_empty_strided(int64_t ndim, const int64_t* sizes,
                                                  const int64_t* strides, int32_t dtype,
                                                  int32_t device_type, int32_t device_index,
                                                  AtenTensorHandle* ret);
SHIMS_API AOTITorchError aoti_torch_empty_strided_pinned(int64_t ndim, const int64_t* sizes,
                                                         const int64_t* strides, int32_t dtype,
                                                         int32_t device_type, int32_t device_index,
                                                         AtenTensorHandle* ret);
SHIMS_API AOTITorchError aoti_torch_new_uninitialized_tensor(AtenTensorHandle* ret);
SHIMS_API AOTITorchError aoti_torch_delete_tensor_object(AtenTensorHandle);
SHIMS_API AOTITorchError aoti_torch_new_tensor_handle(AtenTensorHandle, AtenTensorHandle* ret);
/// `storage_offset` counts elements from the start of the storage, whatever self's own offset is.
SHIMS_API AOTITorchError aoti_torch__reinterpret_tensor(AtenTensorHandle self, int64_t ndim,
                                                        const int64_t* sizes,
                                                        const int64_t* strides,
                                                        int64_t storage_offset,
                                                        AtenTensorHandle* ret);
SHIMS_API AOTITorchError aoti_torch_as_strided(AtenTensorHandle self, const int64_t* sizes,
                                               const int64_t* strides, AtenTensorHandle* ret);
SHIMS_API AOTITorchError aoti_torch__alloc_from_pool(AtenTensorHandle self, int64_t offset_bytes,
                                                     int32_t dtype, int64_t ndim,
                                                     const int64_t* sizes, const int64_t* strides,
                                                     AtenTensorHandle* ret);
SHIMS_API AOTITorchError aoti_torch_cuda_view_dtype(AtenTensorHandle self, int32_t dtype,
                                                    AtenTensorHandle* ret);
/// A new handle on src's storage; src stays valid.
SHIMS_API AOTITorchError aoti_torch_assign_tensors_out(AtenTensorHandle src, AtenTensorHandle* ret);
SHIMS_API AOTITorchError aoti_torch_assign_tensors(AtenTensorHandle src, AtenTensorHandle dst);

// Moving data (copying.cpp). Between device tensors it is enqueued, not waited for.
SHIMS_API AOTITorchError aoti_torch_clone(AtenTensorHandle, AtenTensorHandle* ret);
SHIMS_API AOTITorchError aoti_torch_clone_preserve_strides(AtenTensorHandle, AtenTensorHandle* ret);
SHIMS_API AOTITorchError aoti_torch_copy_(AtenTensorHandle self, AtenTensorHandle src,
                                          int32_t non_blocking);
SHIMS_API AOTITorchError aoti_torch_tensor_copy_(AtenTensorHandle src, AtenTensorHandle dst);
SHIMS_API AOTITorchError aoti_torch_zero_(AtenTensorHandle);

// Guards (guards.cpp).
SHIMS_API AOTITorchError aoti_torch_create_cuda_guard(int32_t device_index, CUDAGuardHandle* ret);
SHIMS_API AOTITorchError aoti_torch_delete_cuda_guard(CUDAGuardHandle);
SHIMS_API AOTITorchError aoti_torch_cuda_guard_set_index(CUDAGuardHandle, int32_t device_index);
SHIMS_API AOTITorchError aoti_torch_create_cuda_stream_guard(void* stream, int32_t device_index,
                                                             CUDAStreamGuardHandle* ret);
SHIMS_API AOTITorchError aoti_torch_delete_cuda_stream_guard(CUDAStreamGuardHandle);
SHIMS_API AOTITorchError aoti_torch_get_current_cuda_stream(int32_t device_index, void** ret);

// Matrix products with quantised weights (linear.cpp). self is bfloat16 [M, K], the result bfloat16
// [M, N] on self's device and its current stream. Any M.
SHIMS_API AOTITorchError aoti_torch_cuda__weight_int4pack_mm(AtenTensorHandle self,
                                                             AtenTensorHandle packed,
                                                             int64_t group_size,
                                                             AtenTensorHandle scales_and_zeros,
                                                             AtenTensorHandle* ret);
SHIMS_API AOTITorchError aoti_torch_cuda_int5_plain_mm(AtenTensorHandle self, AtenTensorHandle ql,
                                                       AtenTensorHandle qh, AtenTensorHandle scale,
                                                       AtenTensorHandle scale_step,
                                                       AtenTensorHandle zero,
                                                       AtenTensorHandle zero_step,
                                                       int64_t group_size, AtenTensorHandle* ret);
SHIMS_API AOTITorchError aoti_torch_cuda_int6_plain_mm(AtenTensorHandle self, AtenTensorHandle ql,
                                                       AtenTensorHandle qh, AtenTensorHandle scale,
                                                       AtenTensorHandle steps, int64_t group_size,
                                                       AtenTensorHandle* ret);
SHIMS_API AOTITorchError aoti_torch_cuda_int8_plain_mm(AtenTensorHandle self,
                                                       AtenTensorHandle qdata,
                                                       AtenTensorHandle scale,
                                                       AtenTensorHandle zero, int64_t group_size,
                                                       AtenTensorHandle* ret);
/// Programs exported by 1.3 call this name with six arguments, (self, qdata, scale, zero,
/// group_size, ret) with bfloat16 scale and zero [K/g, N]; since 1.4 there are eight. The fifth
/// argument tells them apart: a group size is small, a handle never is.
SHIMS_API AOTITorchError aoti_torch_cuda_int4_plain_mm(
    AtenTensorHandle self, AtenTensorHandle qdata, AtenTensorHandle scale,
    AtenTensorHandle scale_step_or_zero, AtenTensorHandle zero_or_group_size,
    AtenTensorHandle zero_step_or_ret, int64_t group_size, AtenTensorHandle* ret);

// Random numbers (random.cpp) and sorting (sort.cpp).
SHIMS_API AOTITorchError aoti_torch_cuda_rand(const int64_t* sizes, int64_t ndim, int32_t* dtype,
                                              int32_t* layout, int32_t* device,
                                              int32_t device_index, int32_t* pin_memory,
                                              AtenTensorHandle* ret);
SHIMS_API AOTITorchError aoti_torch_cuda_randint_low_out(AtenTensorHandle out, int64_t low,
                                                         int64_t high, const int64_t* sizes,
                                                         int64_t ndim);
SHIMS_API AOTITorchError aoti_torch_cuda_sort_stable(AtenTensorHandle self, int32_t* stable,
                                                     int64_t dim, int32_t descending,
                                                     AtenTensorHandle* ret_values,
                                                     AtenTensorHandle* ret_indices);

// Scalars (scalars.cpp: a table of aoti_torch_item_* and aoti_torch_scalar_to_tensor_*), messages
// and what only debug builds call (messages.cpp).
SHIMS_API AOTITorchError aoti_torch_item_bool(AtenTensorHandle, bool* ret);
SHIMS_API void aoti_torch_warn(const char* function, const char* file, uint32_t line,
                               const char* message);
/// Throws std::runtime_error when `condition` does not hold; the library's own entry catches it.
SHIMS_API void aoti_torch_check(bool condition, const char* function, const char* file,
                                uint32_t line, const char* message);
