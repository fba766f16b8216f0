#include "backends/cuda/graph.h"

#include <algorithm>

#include "backends/cuda/device.h"
#include "backends/cuda/inputs.h"
#include "backends/cuda/stream.h"

namespace executorch::backends::cuda {

using runtime::etensor::Tensor;

RecordedRun::~RecordedRun() {
  if (graph_ != nullptr && cudaGraphExecDestroy(graph_) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
  }
}

Error RecordedRun::allocate(runtime::Span<Tensor* const> tensors, int device,
                            std::vector<OwnedTensor>* ret) const {
  for (const Tensor* tensor : tensors) {
    const std::vector<std::int64_t> sizes(tensor->sizes().begin(), tensor->sizes().end());
    const std::vector<std::int64_t> strides(tensor->strides().begin(), tensor->strides().end());
    OwnedTensor made;
    const AOTITorchError code = shims().empty_strided(
        static_cast<std::int64_t>(sizes.size()), sizes.data(), strides.data(),
        static_cast<std::int32_t>(tensor->scalar_type()), 1, device, made.out());
    if (code != 0) return shim_failed(code, "making memory for a CUDA graph");
    ret->push_back(std::move(made));
  }
  return Error::Ok;
}

Error RecordedRun::record(const Container& container, runtime::Span<Tensor* const> inputs,
                          runtime::Span<Tensor* const> outputs,
                          std::span<const std::int64_t> allocations, cudaStream_t owner,
                          int device) {
  {
    const CurrentStream current(owner, device);
    OK_OR_RETURN(current.error());
    OK_OR_RETURN(allocate(inputs, device, &inputs_));
    OK_OR_RETURN(allocate(outputs, device, &outputs_));
    // From here on any stream can use the memory.
    CUDA_OR_RETURN(cudaStreamSynchronize(owner));
  }
  // Not ordered with the legacy default stream: others may use that one while this is recorded.
  std::shared_ptr<Stream> stream;
  OK_OR_RETURN(Stream::create_unordered(&stream));
  const CurrentStream current(stream->get(), device);
  OK_OR_RETURN(current.error());
  CUDA_OR_RETURN(cudaStreamBeginCapture(stream->get(), cudaStreamCaptureModeRelaxed));
  const Error ran = run(container, allocations, stream->get());
  cudaGraph_t graph = nullptr;
  const cudaError_t ended = cudaStreamEndCapture(stream->get(), &graph);
  if (ran == Error::Ok && ended == cudaSuccess) {
    const cudaError_t made = cudaGraphInstantiate(&graph_, graph, 0);
    static_cast<void>(cudaGraphDestroy(graph));
    if (made != cudaSuccess) {
      graph_ = nullptr;
      return cuda_failed(made, "cudaGraphInstantiate");
    }
    return Error::Ok;
  }
  if (graph != nullptr) static_cast<void>(cudaGraphDestroy(graph));
  return ended != cudaSuccess ? cuda_failed(ended, "cudaStreamEndCapture") : ran;
}

// The run that is recorded.
Error RecordedRun::run(const Container& container, std::span<const std::int64_t> allocations,
                       cudaStream_t stream) const {
  std::vector<OwnedTensor> wrapped;
  std::vector<AtenTensorHandle> handles;
  for (const OwnedTensor& input : inputs_) {
    OwnedTensor one;
    const AOTITorchError code = shims().new_tensor_handle(input.get(), one.out());
    if (code != 0) return shim_failed(code, "recording a CUDA graph");
    handles.push_back(one.get());
    wrapped.push_back(std::move(one));
  }
  // The library takes them.
  for (OwnedTensor& one : wrapped) static_cast<void>(one.release());
  std::vector<ExecutorchCudaPlace> places;
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    TensorFacts facts;
    OK_OR_RETURN(facts_of(outputs_[i].get(), &facts));
    if (allocations[i] >= 0 && facts.bytes != 0) {
      places.push_back({allocations[i], facts.bytes, facts.data});
    }
  }
  RunOutputs results;
  executorch_cuda_shims_begin_run(places.data(), places.size());
  const Error ran = container.run(handles.data(), results.reset(outputs_.size()), stream);
  executorch_cuda_shims_end_run();
  for (AtenTensorHandle left : handles) OwnedTensor given_back(left);
  OK_OR_RETURN(ran);
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    TensorFacts from;
    TensorFacts to;
    if (results.get(i) == nullptr) REFUSE(Internal, "the library left output %zu out", i);
    OK_OR_RETURN(facts_of(results.get(i), &from));
    OK_OR_RETURN(facts_of(outputs_[i].get(), &to));
    if (from.bytes == 0 ||
        (from.data == to.data && same_strides(to.sizes, to.strides, from.strides))) {
      continue;
    }
    const AOTITorchError code = shims().copy_(outputs_[i].get(), results.get(i), 1);
    if (code != 0) return shim_failed(code, "recording the copy of an output");
  }
  return Error::Ok;
}

bool RecordedRun::fits(runtime::Span<Tensor* const> inputs) const {
  if (inputs.size() != inputs_.size()) return false;
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    TensorFacts facts;
    if (facts_of(inputs_[i].get(), &facts) != Error::Ok) return false;
    const auto sizes = inputs[i]->sizes();
    if (!std::equal(sizes.begin(), sizes.end(), facts.sizes.begin(), facts.sizes.end())) {
      return false;
    }
  }
  return true;
}

Error RecordedRun::replay(runtime::Span<Tensor* const> inputs, cudaStream_t stream, int device,
                          RunOutputs* outputs, bool* reads_later) const {
  for (std::size_t i = 0; i < inputs_.size(); ++i) {
    const Tensor& input = *inputs[i];
    if (input.nbytes() == 0) continue;
    TensorFacts facts;
    OK_OR_RETURN(facts_of(inputs_[i].get(), &facts));
    Place place = Place::kDevice;
    if (input.const_data_ptr() == nullptr) REFUSE(InvalidArgument, "input %zu has no memory", i);
    OK_OR_RETURN(place_of(input.const_data_ptr(), device, &place));
    OK_OR_RETURN(
        copy_input(facts.data, input.const_data_ptr(), facts.bytes, place, stream, reads_later));
  }
  CUDA_OR_RETURN(cudaGraphLaunch(graph_, stream));
  AtenTensorHandle* const handles = outputs->reset(outputs_.size());
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const AOTITorchError code = shims().new_tensor_handle(outputs_[i].get(), &handles[i]);
    if (code != 0) return shim_failed(code, "running a CUDA graph");
  }
  return Error::Ok;
}

}  // namespace executorch::backends::cuda
