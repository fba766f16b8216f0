#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/span.h>
#include <span>
#include <vector>

#include "backends/cuda/container.h"
#include "backends/cuda/outputs.h"
#include "backends/cuda/tensor.h"
#include "shims/run_places.h"

namespace executorch::backends::cuda {

/// A run of a library as a CUDA graph, for one set of sizes, from inputs and to outputs of its own.
class RecordedRun {
 public:
  RecordedRun() = default;
  ~RecordedRun();
  RecordedRun(const RecordedRun&) = delete;
  RecordedRun& operator=(const RecordedRun&) = delete;

  /// Records a run for tensors of these sizes without running it. `allocations` says which
  /// allocation of a run each output is, or -1. The library must have run before, so that its
  /// kernels are loaded.
  [[nodiscard]] Error record(const Container& container,
                             runtime::Span<runtime::etensor::Tensor* const> inputs,
                             runtime::Span<runtime::etensor::Tensor* const> outputs,
                             std::span<const std::int64_t> allocations, cudaStream_t owner,
                             int device);
  bool is_recorded() const { return graph_ != nullptr; }
  /// Whether it was recorded for inputs of these sizes.
  bool fits(runtime::Span<runtime::etensor::Tensor* const> inputs) const;
  /// Copies the inputs and runs. The outputs are handles on memory that the next replay writes to.
  /// `reads_later` becomes true when memory of the host is read later than now.
  [[nodiscard]] Error replay(runtime::Span<runtime::etensor::Tensor* const> inputs,
                             cudaStream_t stream, int device, RunOutputs* outputs,
                             bool* reads_later) const;

 private:
  Error allocate(runtime::Span<runtime::etensor::Tensor* const> tensors, int device,
                 std::vector<OwnedTensor>* ret) const;
  Error run(const Container& container, std::span<const std::int64_t> allocations,
            cudaStream_t stream) const;

  std::vector<OwnedTensor> inputs_;
  std::vector<OwnedTensor> outputs_;
  cudaGraphExec_t graph_ = nullptr;
};

}  // namespace executorch::backends::cuda
