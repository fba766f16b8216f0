#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/span.h>
#include <vector>

#include "backends/cuda/device.h"
#include "backends/cuda/error.h"
#include "backends/cuda/tensor.h"

namespace executorch::backends::cuda {

/// Enqueues the copy of an input that lies at `place` to the device; `reads_later` becomes true
/// when memory of the host is read only when the stream comes to it.
[[nodiscard]] Error copy_input(void* to, const void* from, std::size_t bytes, Place place,
                               cudaStream_t stream, bool* reads_later);

/// The inputs of a run, as handles: on the program's memory where that is on the device, else on a
/// copy there. The library takes them; those that it leaves are given back with this object.
class RunInputs {
 public:
  RunInputs() = default;
  ~RunInputs() { clear(); }
  RunInputs(const RunInputs&) = delete;
  RunInputs& operator=(const RunInputs&) = delete;

  /// Wraps the program's tensors, enqueueing copies on the stream, which must be the shims' current
  /// one. InvalidArgument for a tensor that lacks its memory.
  [[nodiscard]] Error wrap(runtime::Span<runtime::etensor::Tensor* const> tensors,
                           cudaStream_t stream, int device);
  AtenTensorHandle* handles() { return handles_.data(); }
  /// Whether memory of the host is read later than now, by the device.
  bool reads_later() const { return reads_later_; }
  void clear();

 private:
  Error wrap_one(std::size_t index, const runtime::etensor::Tensor& tensor, cudaStream_t stream,
                 int device);

  std::vector<AtenTensorHandle> handles_;
  std::vector<std::int64_t> sizes_;
  std::vector<std::int64_t> strides_;
  bool reads_later_ = false;
};

}  // namespace executorch::backends::cuda
