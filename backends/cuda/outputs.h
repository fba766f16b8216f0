#pragma once

#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/span.h>
#include <span>
#include <vector>

#include "backends/cuda/device.h"
#include "backends/cuda/error.h"
#include "backends/cuda/tensor.h"

namespace executorch::backends::cuda {

/// What a run left: handles, of which one may stand at several places.
class RunOutputs {
 public:
  RunOutputs() = default;
  ~RunOutputs() { clear(); }
  RunOutputs(const RunOutputs&) = delete;
  RunOutputs& operator=(const RunOutputs&) = delete;

  /// Places for `count` new handles.
  AtenTensorHandle* reset(std::size_t count) {
    clear();
    handles_.assign(count, nullptr);
    return handles_.data();
  }
  std::size_t size() const { return handles_.size(); }
  AtenTensorHandle get(std::size_t index) const { return handles_[index]; }
  /// Gives every handle back, once.
  void clear();

 private:
  std::vector<AtenTensorHandle> handles_;
};

/// Where the outputs of a run go: the tensors of the program.
class OutputWriter {
 public:
  /// `places` are those of the tensors' memory, as place_of() found them.
  OutputWriter(cudaStream_t stream, int device, std::span<const Place> places)
      : stream_(stream), device_(device), places_(places) {}

  /// Resizes the program's tensors to what came out and copies it to wherever they have their
  /// memory, in the order of their strides. Enqueues only; `finish` waits where it has to.
  /// InvalidProgram when type or rank are not what the program says, InvalidArgument for a tensor
  /// without memory.
  [[nodiscard]] Error write(const RunOutputs& outputs,
                            runtime::Span<runtime::etensor::Tensor* const> tensors);
  /// Lets the program's tensors refer to what came out, on the device; `kept` holds what has to
  /// outlive that.
  [[nodiscard]] Error refer(const RunOutputs& outputs,
                            runtime::Span<runtime::etensor::Tensor* const> tensors,
                            std::vector<OwnedTensor>* kept);
  /// Whether an output goes to the host or another device, so that the stream has to be waited for.
  bool leaves_device() const { return leaves_device_; }
  /// Waits for the stream when an output left its device.
  [[nodiscard]] Error finish();

 private:
  struct Output {
    runtime::etensor::Tensor* tensor = nullptr;
    AtenTensorHandle handle = nullptr;
    TensorFacts facts;
    std::vector<std::int64_t> strides;  ///< of the program's tensor
    bool as_it_is = false;              ///< the bytes can be copied in one piece
    std::byte* destination = nullptr;
    Place place = Place::kHost;
  };
  struct HostCopy {
    void* to;
    const void* from;
    std::size_t bytes;
  };

  Error prepare(const RunOutputs& outputs, runtime::Span<runtime::etensor::Tensor* const> tensors);
  Error fit(std::size_t index, Output* output);
  Error part_from_others();
  Error replace(Output* output, OwnedTensor copy);
  Error in_strides_of_program(const Output& output, OwnedTensor* ret);
  Error copy(Output* output);

  cudaStream_t stream_;
  int device_;
  std::span<const Place> places_;
  bool leaves_device_ = false;
  std::vector<Output> outputs_;
  std::vector<OwnedTensor> copies_;
  std::vector<HostCopy> host_copies_;
};

}  // namespace executorch::backends::cuda
