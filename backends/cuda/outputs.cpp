#include "backends/cuda/outputs.h"

#include <algorithm>
#include <cstring>
#include <executorch/runtime/core/exec_aten/util/tensor_util.h>
#include <functional>
#include <limits>

namespace executorch::backends::cuda {

using runtime::etensor::Tensor;
using runtime::etensor::TensorImpl;

void RunOutputs::clear() {
  for (std::size_t i = 0; i < handles_.size(); ++i) {
    const auto first = std::find(handles_.begin(), handles_.end(), handles_[i]);
    const bool is_first = first == handles_.begin() + static_cast<std::ptrdiff_t>(i);
    if (handles_[i] != nullptr && is_first) {
      static_cast<void>(shims().delete_tensor_object(handles_[i]));
    }
  }
  handles_.clear();
}

Error OutputWriter::prepare(const RunOutputs& outputs, runtime::Span<Tensor* const> tensors) {
  outputs_.resize(outputs.size());
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    Output& output = outputs_[i];
    output.tensor = tensors[i];
    output.handle = outputs.get(i);
    if (output.handle == nullptr) REFUSE(Internal, "the library left output %zu out", i);
    OK_OR_RETURN(facts_of(output.handle, &output.facts));
    OK_OR_RETURN(fit(i, &output));
  }
  return Error::Ok;
}

// Makes the program's tensor of the size that came out.
Error OutputWriter::fit(std::size_t index, Output* output) {
  const TensorFacts& facts = output->facts;
  Tensor& tensor = *output->tensor;
  if (facts.dtype != static_cast<std::int32_t>(tensor.scalar_type()) ||
      facts.sizes.size() != static_cast<std::size_t>(tensor.dim())) {
    REFUSE(
        InvalidProgram,
        "output %zu is of type %d and rank %zu, and the program's tensor of type %d and rank %zd",
        index, static_cast<int>(facts.dtype), facts.sizes.size(),
        static_cast<int>(tensor.scalar_type()), tensor.dim());
  }
  const auto now = tensor.sizes();
  if (!std::equal(now.begin(), now.end(), facts.sizes.begin())) {
    TensorImpl::SizesType sizes[runtime::kTensorDimensionLimit];
    for (std::size_t i = 0; i < facts.sizes.size(); ++i) {
      if (facts.sizes[i] > std::numeric_limits<TensorImpl::SizesType>::max()) {
        REFUSE(NotSupported, "output %zu has a dimension of size %lld", index,
               static_cast<long long>(facts.sizes[i]));
      }
      sizes[i] = static_cast<TensorImpl::SizesType>(facts.sizes[i]);
    }
    const Error error = runtime::resize_tensor(tensor, {sizes, facts.sizes.size()});
    if (error != Error::Ok) {
      ET_LOG(Error, "CudaBackend: output %zu does not fit the program's tensor", index);
      return error;
    }
  }
  const auto strides = tensor.strides();
  output->strides.assign(strides.begin(), strides.end());
  output->as_it_is = same_strides(facts.sizes, facts.strides, output->strides);
  output->destination = static_cast<std::byte*>(tensor.mutable_data_ptr());
  return Error::Ok;
}

Error OutputWriter::replace(Output* output, OwnedTensor copy) {
  output->handle = copy.get();
  copies_.push_back(std::move(copy));
  return facts_of(output->handle, &output->facts);
}

// An output may be a view of an input, whose memory the caller may have given for another output
// too: it is saved before that one is written.
Error OutputWriter::part_from_others() {
  const auto overlap = [](const Output& source, const Output& target) {
    const std::byte* const from = source.facts.data;
    const std::byte* const to = target.destination;
    if (source.facts.bytes == 0 || target.facts.bytes == 0) return false;
    std::size_t reach = source.facts.bytes;
    if (!is_dense(source.facts.sizes, source.facts.strides)) {
      std::size_t last = 0;
      for (std::size_t i = 0; i < source.facts.sizes.size(); ++i) {
        last += static_cast<std::size_t>((source.facts.sizes[i] - 1) * source.facts.strides[i]);
      }
      reach = (last + 1) * static_cast<std::size_t>(source.tensor->element_size());
    }
    return std::less<>()(from, to + target.facts.bytes) && std::less<>()(to, from + reach);
  };
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    Output& output = outputs_[i];
    bool meets = false;
    for (std::size_t j = 0; j < outputs_.size() && !meets; ++j) {
      // Its own memory is no matter if it is there already, as it should be.
      const bool in_place = i == j && output.as_it_is && output.facts.data == output.destination;
      meets = !in_place && overlap(output, outputs_[j]);
    }
    if (!meets) continue;
    OwnedTensor copy;
    const AOTITorchError code = shims().clone_preserve_strides(output.handle, copy.out());
    if (code != 0) return shim_failed(code, "saving an output that shares memory");
    OK_OR_RETURN(replace(&output, std::move(copy)));
  }
  return Error::Ok;
}

Error OutputWriter::in_strides_of_program(const Output& output, OwnedTensor* ret) {
  const auto rank = static_cast<std::int64_t>(output.facts.sizes.size());
  AOTITorchError code = shims().empty_strided(
      rank, output.facts.sizes.data(), output.strides.data(), output.facts.dtype,
      output.facts.on_device ? 1 : 0, output.facts.on_device ? device_ : 0, ret->out());
  if (code == 0) code = shims().copy_(ret->get(), output.handle, 1);
  return code == 0 ? Error::Ok : shim_failed(code, "reordering an output");
}

Error OutputWriter::copy(Output* output) {
  if (output->facts.bytes == 0) return Error::Ok;
  if (output->as_it_is && output->facts.data == output->destination) return Error::Ok;
  const bool to_device = output->place == Place::kDevice;
  if (!output->as_it_is && to_device && output->facts.on_device) {
    OwnedTensor target;
    AOTITorchError code = shims().create_tensor_from_blob(
        output->destination, static_cast<std::int64_t>(output->strides.size()),
        output->facts.sizes.data(), output->strides.data(), 0, output->facts.dtype, 1, device_,
        target.out());
    if (code == 0) code = shims().copy_(target.get(), output->handle, 1);
    return code == 0 ? Error::Ok : shim_failed(code, "reordering an output");
  }
  if (!output->as_it_is) {
    OwnedTensor ordered;
    OK_OR_RETURN(in_strides_of_program(*output, &ordered));
    OK_OR_RETURN(replace(output, std::move(ordered)));
  }
  const bool to_host = output->place == Place::kHost || output->place == Place::kPinned;
  // Nothing on another device waits for this one's stream.
  leaves_device_ = leaves_device_ || !to_device;
  if (to_host && !output->facts.on_device) {
    // The library computed it on the host, perhaps from what the stream still brings.
    host_copies_.push_back({output->destination, output->facts.data, output->facts.bytes});
    return Error::Ok;
  }
  const cudaMemcpyKind kind = to_host                   ? cudaMemcpyDeviceToHost
                              : output->facts.on_device ? cudaMemcpyDeviceToDevice
                                                        : cudaMemcpyHostToDevice;
  CUDA_OR_RETURN(
      cudaMemcpyAsync(output->destination, output->facts.data, output->facts.bytes, kind, stream_));
  return Error::Ok;
}

Error OutputWriter::write(const RunOutputs& outputs, runtime::Span<Tensor* const> tensors) {
  OK_OR_RETURN(prepare(outputs, tensors));
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    Output& output = outputs_[i];
    if (output.facts.bytes == 0) continue;
    if (output.destination == nullptr) REFUSE(InvalidArgument, "output %zu has no memory", i);
    output.place = places_[i];
  }
  OK_OR_RETURN(part_from_others());
  for (Output& output : outputs_) OK_OR_RETURN(copy(&output));
  return Error::Ok;
}

Error OutputWriter::refer(const RunOutputs& outputs, runtime::Span<Tensor* const> tensors,
                          std::vector<OwnedTensor>* kept) {
  OK_OR_RETURN(prepare(outputs, tensors));
  std::vector<OwnedTensor> keep;
  for (Output& output : outputs_) {
    OwnedTensor own;
    if (output.as_it_is) {
      const AOTITorchError code = shims().new_tensor_handle(output.handle, own.out());
      if (code != 0) return shim_failed(code, "keeping an output");
    } else {
      OK_OR_RETURN(in_strides_of_program(output, &own));
    }
    void* data = nullptr;
    if (const AOTITorchError code = shims().get_data_ptr(own.get(), &data); code != 0) {
      return shim_failed(code, "keeping an output");
    }
    output.tensor->unsafeGetTensorImpl()->set_data(data);
    keep.push_back(std::move(own));
  }
  kept->swap(keep);
  return Error::Ok;
}

Error OutputWriter::finish() {
  if (!leaves_device_) return Error::Ok;
  CUDA_OR_RETURN(cudaStreamSynchronize(stream_));
  for (const HostCopy& one : host_copies_) std::memcpy(one.to, one.from, one.bytes);
  return Error::Ok;
}

}  // namespace executorch::backends::cuda
