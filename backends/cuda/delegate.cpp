#include "backends/cuda/delegate.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <executorch/extension/cuda/caller_stream.h>
#include <system_error>

#include "backends/cuda/device.h"

namespace executorch::backends::cuda {

using runtime::etensor::Tensor;

namespace {

std::string_view text_of(const runtime::CompileSpec& spec) {
  return {static_cast<const char*>(spec.value.buffer), spec.value.nbytes};
}

const runtime::CompileSpec* find_spec(runtime::ArrayRef<runtime::CompileSpec> specs,
                                      std::string_view key) {
  for (const runtime::CompileSpec& spec : specs) {
    if (key == spec.key) return &spec;
  }
  return nullptr;
}

// "cuda" and "CUDA:1", as the exporter takes them; -1 without a number.
Error parse_device(std::string_view text, int* ret) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  *ret = -1;
  if (lower == "cuda") return Error::Ok;
  constexpr std::string_view kPrefix = "cuda:";
  const char* const end = lower.data() + lower.size();
  if (lower.starts_with(kPrefix)) {
    const auto [stop, error] = std::from_chars(lower.data() + kPrefix.size(), end, *ret);
    if (error == std::errc() && stop == end && *ret >= 0 && *ret < 128) return Error::Ok;
  }
  REFUSE(InvalidProgram, "the program was exported for the device '%s'", lower.c_str());
}

Error device_of(runtime::ArrayRef<runtime::CompileSpec> specs, int* ret) {
  *ret = -1;
  const runtime::CompileSpec* const target = find_spec(specs, "target_device");
  if (target != nullptr) OK_OR_RETURN(parse_device(text_of(*target), ret));
  OK_OR_RETURN(check_device(0));
  if (*ret < 0) CUDA_OR_RETURN(cudaGetDevice(ret));
  return check_device(*ret);
}

Error is_captured(cudaStream_t stream, bool* ret) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  CUDA_OR_RETURN(cudaStreamIsCapturing(stream, &status));
  *ret = status != cudaStreamCaptureStatusNone;
  return Error::Ok;
}

// After a failure: what was enqueued before it still reads inputs, writes outputs and changes
// state, and nobody will wait for it. So it ends here, unless it is only being recorded. A device
// that is lost as a whole is named, which the library's own words may not do.
void settle_after_failure(cudaStream_t stream) {
  bool captured = false;
  if (is_captured(stream, &captured) != Error::Ok || captured) return;
  if (const cudaError_t state = cudaStreamSynchronize(stream); state != cudaSuccess) {
    static_cast<void>(cuda_failed(state, "the work on the device"));
  }
}

}  // namespace

Error Delegate::create(runtime::BackendInitContext& context, runtime::FreeableBuffer* processed,
                       runtime::ArrayRef<runtime::CompileSpec> specs, const Options& options,
                       std::unique_ptr<Delegate>* ret) {
  std::unique_ptr<Delegate> made(new Delegate());
  OK_OR_RETURN(made->init(context, processed, specs, options));
  *ret = std::move(made);
  return Error::Ok;
}

Error Delegate::init(runtime::BackendInitContext& context, runtime::FreeableBuffer* processed,
                     runtime::ArrayRef<runtime::CompileSpec> specs, const Options& options) {
  Options own = options;
  OK_OR_RETURN(own.apply(context.runtime_specs()));
  if (const auto* const spec = find_spec(specs, "method_name"); spec != nullptr) {
    method_name_ = text_of(*spec);
  }
  Payload payload;
  const bool is_legacy = processed->size() == 0;
  OK_OR_RETURN(
      parse_payload({static_cast<const std::uint8_t*>(processed->data()), processed->size()},
                    method_name_, &payload));
  processed->Free();

  OK_OR_RETURN(device_of(specs, &device_));
  const DeviceScope scope(device_);
  OK_OR_RETURN(scope.error());
  std::uint32_t architecture = 0;
  OK_OR_RETURN(architecture_of(device_, &architecture));
  const LibraryVariant* variant = nullptr;
  OK_OR_RETURN(choose_library(payload, architecture, &variant));

  const runtime::NamedDataMap* const data = context.get_named_data_map();
  if (data == nullptr) {
    REFUSE(InvalidProgram, "the program has no named data, so no library '%s'",
           variant->key.c_str());
  }
  const AotiLibrary* library = nullptr;
  {
    auto image = data->get_data(variant->key);
    if (!image.ok()) {
      REFUSE(NotFound, "the program does not hold the library '%s' (0x%x)", variant->key.c_str(),
             static_cast<unsigned>(image.error()));
    }
    OK_OR_RETURN(AotiLibrary::get({static_cast<const std::uint8_t*>(image->data()), image->size()},
                                  variant->key, &library));
  }
  OK_OR_RETURN(container_.create(*library, device_));
  OK_OR_RETURN(container_.load_constants(payload, data, own.share_state));
  OK_OR_RETURN(own.use_shared_stream ? Stream::shared(device_, &stream_)
                                     : Stream::create(&stream_));
  uses_graph_ = own.graph_methods.contains(method_name_);
  keeps_outputs_ = is_legacy && own.skip_copy_methods.contains(method_name_);
  return Error::Ok;
}

Delegate::~Delegate() {
  // The device may still be at work with what ends here.
  const DeviceScope scope(device_);
  if (stream_ != nullptr && cudaStreamSynchronize(stream_->get()) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
  }
  if (last_was_callers_) static_cast<void>(last_run_.wait());
}

// The arguments as tensors: inputs, then outputs.
Error Delegate::split(runtime::Span<runtime::EValue*> arguments) {
  const std::size_t inputs = container_.num_inputs();
  const std::size_t outputs = container_.num_outputs();
  if (arguments.size() != inputs + outputs) {
    REFUSE(InvalidArgument, "%zu arguments; the library takes %zu inputs and gives %zu outputs",
           arguments.size(), inputs, outputs);
  }
  tensors_.clear();
  arguments_.clear();
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (arguments[i] == nullptr || !arguments[i]->isTensor()) {
      REFUSE(InvalidArgument, "argument %zu is not a tensor", i);
    }
    tensors_.push_back(arguments[i]->payload.as_tensor);
  }
  for (Tensor& tensor : tensors_) arguments_.push_back(&tensor);
  for (std::size_t i = 0; i < outputs; ++i) {
    const Tensor& output = tensors_[inputs + i];
    if (!keeps_outputs_ && output.mutable_data_ptr() == nullptr && output.nbytes() != 0) {
      REFUSE(InvalidArgument, "output %zu of %zu has no memory", i, outputs);
    }
  }
  return Error::Ok;
}

// What a run keeps for the next one, such as state, is used by one stream after the other.
Error Delegate::order_after_last_run(cudaStream_t stream, bool is_callers) {
  if (!has_run_ || last_stream_ == stream) return Error::Ok;
  if (!last_was_callers_) OK_OR_RETURN(last_run_.record(last_stream_));
  if (is_callers) {
    bool captured = false;
    OK_OR_RETURN(is_captured(stream, &captured));
    // A graph can't wait for what was before it; its user orders it.
    if (captured) return Error::Ok;
  }
  return last_run_.hold(stream);
}

Error Delegate::remember_run(cudaStream_t stream, bool is_callers) {
  if (is_callers) {
    // It may be gone at the next run, so what is to be waited for is recorded now.
    bool captured = false;
    OK_OR_RETURN(is_captured(stream, &captured));
    if (captured) return Error::Ok;
    OK_OR_RETURN(last_run_.record(stream));
  }
  has_run_ = true;
  last_stream_ = stream;
  last_was_callers_ = is_callers;
  return Error::Ok;
}

Error Delegate::execute(runtime::Span<runtime::EValue*> arguments) {
  const std::lock_guard lock(mutex_);
  const DeviceScope scope(device_);
  OK_OR_RETURN(scope.error());
  OK_OR_RETURN(split(arguments));
  const auto callers = extension::cuda::getCallerStream();
  const cudaStream_t stream = callers.has_value() ? *callers : stream_->get();
  OK_OR_RETURN(order_after_last_run(stream, callers.has_value()));
  const CurrentStream current(stream, device_);
  OK_OR_RETURN(current.error());
  if (keeps_outputs_ && callers.has_value()) {
    REFUSE(NotSupported,
           "method '%s' keeps its outputs on the device, and can't run on a caller's stream",
           method_name_.c_str());
  }
  const Error error = run(stream, callers.has_value());
  if (error != Error::Ok) settle_after_failure(stream);
  inputs_.clear();
  outputs_.clear();
  return error;
}

// Asks once for each output where its memory is.
Error Delegate::find_places() {
  output_places_.assign(container_.num_outputs(), Place::kHost);
  for (std::size_t i = 0; i < output_places_.size() && !keeps_outputs_; ++i) {
    const void* const data = tensors_[container_.num_inputs() + i].const_data_ptr();
    if (data != nullptr) OK_OR_RETURN(place_of(data, device_, &output_places_[i]));
  }
  return Error::Ok;
}

// Outputs that were an allocation of their own in the last run are made in their tensors' memory in
// this one. Memory that any other argument uses as well is not fit for that: the library may write
// to an allocation before it has read its inputs.
void Delegate::choose_places() {
  // What compiled kernels assume of allocations.
  constexpr std::uintptr_t kAlignment = 16;
  wanted_.clear();
  for (std::size_t i = 0; i < output_allocations_.size(); ++i) {
    const Tensor& output = tensors_[container_.num_inputs() + i];
    const auto begin = reinterpret_cast<std::uintptr_t>(output.const_data_ptr());
    const std::uintptr_t end = begin + output.nbytes();
    if (output_allocations_[i] < 0 || output_places_[i] != Place::kDevice ||
        begin % kAlignment != 0 || begin == end) {
      continue;
    }
    const bool is_alone = std::all_of(tensors_.begin(), tensors_.end(), [&](const Tensor& other) {
      const auto at = reinterpret_cast<std::uintptr_t>(other.const_data_ptr());
      return &other == &output || at >= end || at + other.nbytes() <= begin;
    });
    if (is_alone) {
      wanted_.push_back({output_allocations_[i], output.nbytes(), output.mutable_data_ptr()});
    }
  }
}

void Delegate::learn_places() {
  output_allocations_.assign(outputs_.size(), -1);
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    const std::int64_t number = executorch_cuda_shims_allocation_of(outputs_.get(i));
    const auto first = std::find(output_allocations_.begin(), output_allocations_.end(), number);
    // The same memory can't be at two places.
    if (first == output_allocations_.end()) output_allocations_[i] = number;
  }
}

Error Delegate::run(cudaStream_t stream, bool is_callers) {
  const std::size_t inputs = container_.num_inputs();
  const runtime::Span<Tensor* const> all(arguments_.data(), arguments_.size());
  const runtime::Span<Tensor* const> given(all.data(), inputs);
  const runtime::Span<Tensor* const> wanted(all.data() + inputs, all.size() - inputs);
  OK_OR_RETURN(find_places());
  bool reads_later = false;
  bool replays = false;
  OK_OR_RETURN(prepare_graph(given, wanted, stream, is_callers, &replays));
  if (replays) {
    OK_OR_RETURN(graph_.replay(given, stream, device_, &outputs_, &reads_later));
  } else {
    OK_OR_RETURN(run_eagerly(given, stream, &reads_later));
  }
  if (reads_later) OK_OR_RETURN(inputs_read_.record(stream));
  OutputWriter writer(stream, device_, output_places_);
  OK_OR_RETURN(keeps_outputs_ ? writer.refer(outputs_, wanted, &kept_)
                              : writer.write(outputs_, wanted));
  OK_OR_RETURN(remember_run(stream, is_callers));
  OK_OR_RETURN(writer.finish());
  if (reads_later && !writer.leaves_device()) OK_OR_RETURN(inputs_read_.wait());
  return Error::Ok;
}

Error Delegate::run_eagerly(runtime::Span<Tensor* const> given, cudaStream_t stream,
                            bool* reads_later) {
  OK_OR_RETURN(inputs_.wrap(given, stream, device_));
  *reads_later = inputs_.reads_later();
  choose_places();
  executorch_cuda_shims_begin_run(wanted_.data(), wanted_.size());
  const Error ran =
      container_.run(inputs_.handles(), outputs_.reset(container_.num_outputs()), stream);
  executorch_cuda_shims_end_run();
  OK_OR_RETURN(ran);
  learn_places();
  return Error::Ok;
}

// Remembers the sizes for the next question.
bool Delegate::same_sizes_as_last_run(runtime::Span<Tensor* const> given) {
  std::vector<aten::SizesType> sizes;
  for (const Tensor* input : given) {
    sizes.insert(sizes.end(), input->sizes().begin(), input->sizes().end());
  }
  const bool same = sizes == last_sizes_;
  last_sizes_ = std::move(sizes);
  return same;
}

// After a few runs of the same sizes, which load kernels and find out where outputs are made, the
// run is recorded. What can't be recorded goes on as it did.
Error Delegate::prepare_graph(runtime::Span<Tensor* const> given,
                              runtime::Span<Tensor* const> wanted, cudaStream_t stream,
                              bool is_callers, bool* replays) {
  constexpr int kRunsBefore = 3;
  if (!uses_graph_) return Error::Ok;
  if (is_callers) {
    // A graph of the caller's own is being recorded.
    bool captured = false;
    OK_OR_RETURN(is_captured(stream, &captured));
    if (captured) return Error::Ok;
  }
  if (!graph_.is_recorded()) {
    // The tensors for the outputs have the sizes of the last run: those of this one if its inputs
    // have the same.
    if (!same_sizes_as_last_run(given)) runs_before_graph_ = 0;
    if (runs_before_graph_++ < kRunsBefore) return Error::Ok;
    const Error error =
        graph_.record(container_, given, wanted, output_allocations_, stream_->get(), device_);
    if (error != Error::Ok) {
      uses_graph_ = false;
      ET_LOG(
          Error,
          "CudaBackend: method '%s' can't be recorded as a CUDA graph (0x%x); it runs without one",
          method_name_.c_str(), static_cast<unsigned>(error));
      return Error::Ok;
    }
  }
  *replays = graph_.fits(given);
  return Error::Ok;
}

}  // namespace executorch::backends::cuda
