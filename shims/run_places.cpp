#include "shims/run_places.h"

#include "shims/tensor.h"

namespace shims {
namespace {

struct Run {
  int64_t id = 0;
  bool going_on = false;
  int64_t allocations = 0;
  const ExecutorchCudaPlace* places = nullptr;
  std::size_t count = 0;
};
thread_local Run current_run;

}  // namespace

void* place_in_run(std::size_t bytes, AllocationNumber* number) {
  Run& run = current_run;
  if (!run.going_on) {
    return nullptr;
  }
  *number = {run.id, run.allocations++};
  for (std::size_t i = 0; i < run.count; ++i) {
    const ExecutorchCudaPlace& place = run.places[i];
    if (place.allocation == number->index && place.bytes == bytes) {
      return place.data;
    }
  }
  return nullptr;
}

bool is_of_this_run(const AllocationNumber& number) {
  return number.run != 0 && number.run == current_run.id;
}

}  // namespace shims

void executorch_cuda_shims_begin_run(const ExecutorchCudaPlace* places, size_t count) {
  shims::Run& run = shims::current_run;
  run = {run.id + 1, true, 0, places, count};
}

void executorch_cuda_shims_end_run() {
  shims::Run& run = shims::current_run;
  run.going_on = false;
  run.places = nullptr;
  run.count = 0;
}

int64_t executorch_cuda_shims_allocation_of(AtenTensorHandle handle) {
  const shims::Tensor* const tensor = shims::from_handle(handle);
  if (tensor == nullptr || !tensor->storage || tensor->offset != 0 ||
      !shims::is_of_this_run(tensor->storage->allocation_number())) {
    return -1;
  }
  // A part of an allocation can't have memory of its own.
  const auto bytes = static_cast<std::size_t>(tensor->shape.extent()) * tensor->item_bytes();
  return bytes == tensor->storage->bytes() ? tensor->storage->allocation_number().index : -1;
}
