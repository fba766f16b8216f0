#pragma once

#include <cstddef>
#include <cstdint>

#include "shims/abi.h"

/// What a delegate knows of a run before it begins: that one of its allocations is an output, and
/// where the caller wants it. Where number and size agree, the allocation is given the caller's
/// memory, and no copy is needed afterwards. Where they do not, as when a run takes another way,
/// nothing is lost: the delegate looks where its outputs are.
struct ExecutorchCudaPlace {
  int64_t allocation;  ///< number, from 0, of an allocation of device memory in the run
  size_t bytes;        ///< its size; another size is not placed
  void* data;          ///< the memory that it is given; outlives the run's tensors
};
/// A run of a compiled library begins on this thread; `places` stay the caller's until it ends.
SHIMS_API void executorch_cuda_shims_begin_run(const ExecutorchCudaPlace* places, size_t count);
SHIMS_API void executorch_cuda_shims_end_run();
/// Which allocation of the thread's last run the tensor is, all of it; -1 when it is none.
SHIMS_API int64_t executorch_cuda_shims_allocation_of(AtenTensorHandle);

namespace shims {

/// Which allocation of which run of this thread a storage was.
struct AllocationNumber {
  int64_t run = 0;  ///< 0: of none
  int64_t index = -1;
};

/// Counts an allocation of device memory on this thread. The caller's memory for it, or null.
void* place_in_run(std::size_t bytes, AllocationNumber* number);
/// Whether it was in the run that is going on, or was the last one, on this thread.
bool is_of_this_run(const AllocationNumber& number);

}  // namespace shims
