#pragma once

#include <executorch/runtime/backend/interface.h>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "backends/cuda/container.h"
#include "backends/cuda/graph.h"
#include "backends/cuda/inputs.h"
#include "backends/cuda/options.h"
#include "backends/cuda/outputs.h"
#include "backends/cuda/stream.h"
#include "shims/run_places.h"

namespace executorch::backends::cuda {

/// One delegate of a loaded method.
class Delegate {
 public:
  /// Takes what the export left (`processed`, which is freed as soon as it is read). The log says
  /// what is wrong with a program that can't be loaded, and nothing of it is left then.
  [[nodiscard]] static Error create(runtime::BackendInitContext& context,
                                    runtime::FreeableBuffer* processed,
                                    runtime::ArrayRef<runtime::CompileSpec> specs,
                                    const Options& options, std::unique_ptr<Delegate>* ret);
  ~Delegate();
  Delegate(const Delegate&) = delete;
  Delegate& operator=(const Delegate&) = delete;

  /// Enqueues a run on the caller's stream, or else on the delegate's own. Tensors are used where
  /// their memory really is. Waits for the stream only when an output goes to the host, and for the
  /// copy of inputs in pinned memory.
  [[nodiscard]] Error execute(runtime::Span<runtime::EValue*> arguments);

 private:
  Delegate() = default;
  Error init(runtime::BackendInitContext& context, runtime::FreeableBuffer* processed,
             runtime::ArrayRef<runtime::CompileSpec> specs, const Options& options);
  Error split(runtime::Span<runtime::EValue*> arguments);
  Error run(cudaStream_t stream, bool is_callers);
  Error order_after_last_run(cudaStream_t stream, bool is_callers);
  Error remember_run(cudaStream_t stream, bool is_callers);
  Error run_eagerly(runtime::Span<runtime::etensor::Tensor* const> given, cudaStream_t stream,
                    bool* reads_later);
  bool same_sizes_as_last_run(runtime::Span<runtime::etensor::Tensor* const> given);
  Error prepare_graph(runtime::Span<runtime::etensor::Tensor* const> given,
                      runtime::Span<runtime::etensor::Tensor* const> wanted, cudaStream_t stream,
                      bool is_callers, bool* replays);
  Error find_places();
  void choose_places();
  void learn_places();

  std::string method_name_;
  int device_ = 0;
  std::shared_ptr<Stream> stream_;
  /// Outputs stay on the device.
  bool keeps_outputs_ = false;
  std::vector<OwnedTensor> kept_;
  Container container_;

  std::mutex mutex_;
  std::vector<runtime::etensor::Tensor> tensors_;
  std::vector<runtime::etensor::Tensor*> arguments_;
  RunInputs inputs_;
  RunOutputs outputs_;
  /// Where the outputs' memory is; which allocation of a run each one was the last time, or -1; and
  /// where this time's run is to make them.
  std::vector<Place> output_places_;
  std::vector<std::int64_t> output_allocations_;
  std::vector<ExecutorchCudaPlace> wanted_;
  bool uses_graph_ = false;
  int runs_before_graph_ = 0;
  /// Of the inputs, one after the other; their ranks are those of the program.
  std::vector<aten::SizesType> last_sizes_;
  RecordedRun graph_;
  /// The stream of the run before; null data when there is none to wait for.
  bool has_run_ = false;
  cudaStream_t last_stream_ = nullptr;
  bool last_was_callers_ = false;
  Event last_run_;
  Event inputs_read_;
};

}  // namespace executorch::backends::cuda
