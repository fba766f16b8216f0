#include "backends/cuda/container.h"

#include <algorithm>
#include <map>
#include <set>

namespace executorch::backends::cuda {
namespace {

// Kinds of constants, as compiled libraries number them.
constexpr std::int32_t kParameter = 1;
constexpr std::int32_t kTensorConstant = 3;

constexpr std::size_t kMostConstants = 1u << 20;

Error library_failed(const char* what) {
  const char* const words = executorch_cuda_shims_last_error();
  const cudaError_t pending = cudaPeekAtLastError();
  ET_LOG(Error,
         "CudaBackend: the compiled library could not %s (it says why on the error output)%s%s",
         what, *words == '\0' ? "" : "; the last shim that failed: ", words);
  if (pending != cudaSuccess) return cuda_failed(pending, what);
  return Error::Internal;
}

}  // namespace

struct Container::Constant {
  std::string name;
  std::string fqn;  ///< of the model; empty for constants of the library's own
  std::int32_t type = 0;
  std::int32_t dtype = 0;
  std::size_t bytes = 0;
};

Container::~Container() {
  if (container_ != nullptr && library_->functions().destroy(container_) != 0) {
    ET_LOG(Error, "CudaBackend: a compiled library could not free an instance");
  }
}

Error Container::create(const AotiLibrary& library, int device) {
  library_ = &library;
  device_ = device;
  const AotiFunctions& call = library.functions();
  executorch_cuda_shims_clear_last_error();
  const std::string name = "cuda:" + std::to_string(device);
  if (call.create(&container_, 1, name.c_str(), nullptr) != 0 || container_ == nullptr) {
    container_ = nullptr;
    return library_failed("make an instance");
  }
  if (call.num_inputs(container_, &num_inputs_) != 0 ||
      call.num_outputs(container_, &num_outputs_) != 0) {
    return library_failed("say how many inputs and outputs it has");
  }
  return Error::Ok;
}

Error Container::list_constants(std::vector<Constant>* ret) const {
  const AotiFunctions& call = library_->functions();
  if (call.num_constants == nullptr || call.constant_name == nullptr) return Error::Ok;
  std::size_t count = 0;
  if (call.num_constants(container_, &count) != 0 || count > kMostConstants) {
    return library_failed("count its constants");
  }
  for (std::size_t i = 0; i < count; ++i) {
    bool folded = false;
    if (call.constant_is_folded != nullptr &&
        call.constant_is_folded(container_, i, &folded) != 0) {
      return library_failed("describe a constant");
    }
    // Computed by the library from the others.
    if (folded) continue;
    Constant one;
    const char* name = nullptr;
    const char* fqn = nullptr;
    if (call.constant_name(container_, i, &name) != 0 || name == nullptr ||
        (call.constant_fqn != nullptr && call.constant_fqn(container_, i, &fqn) != 0) ||
        (call.constant_type != nullptr && call.constant_type(container_, i, &one.type) != 0) ||
        (call.constant_dtype != nullptr && call.constant_dtype(container_, i, &one.dtype) != 0) ||
        (call.constant_bytes != nullptr && call.constant_bytes(container_, i, &one.bytes) != 0)) {
      return library_failed("describe a constant");
    }
    one.name = name;
    if (fqn != nullptr) one.fqn = fqn;
    ret->push_back(std::move(one));
  }
  return Error::Ok;
}

Error Container::load_constants(const Payload& payload, const runtime::NamedDataMap* data,
                                bool share_state) {
  std::vector<Constant> constants;
  OK_OR_RETURN(list_constants(&constants));
  if (payload.has_manifest) return attach(payload, data, share_state, constants);
  return constants.empty() ? Error::Ok : load_blob(payload.weights_key, data, constants);
}

// All constants in one blob, in the library's order: it copies them itself, and is told no size.
Error Container::load_blob(const std::string& key, const runtime::NamedDataMap* data,
                           const std::vector<Constant>& constants) {
  const AotiFunctions& call = library_->functions();
  if (call.load_constants == nullptr || call.constant_bytes == nullptr) {
    REFUSE(NotSupported, "the library has %zu constants, and no function to load them",
           constants.size());
  }
  std::size_t bytes = 0;
  for (const Constant& one : constants) {
    if (__builtin_add_overflow(bytes, one.bytes, &bytes)) {
      REFUSE(InvalidProgram, "the library's %zu constants have no size", constants.size());
    }
  }
  if (data == nullptr) {
    REFUSE(NotFound, "the program has no named data, so no weights '%s'", key.c_str());
  }
  auto blob = data->get_data(key);
  if (!blob.ok()) {
    REFUSE(
        NotFound,
        "the weights '%s' are not in the program or its data files (0x%x): give the .ptd file that "
        "was exported with it, such as aoti_cuda_blob.ptd",
        key.c_str(), static_cast<unsigned>(blob.error()));
  }
  if (blob->size() != bytes) {
    REFUSE(InvalidExternalData, "the weights '%s' are %zu bytes, and the library needs %zu",
           key.c_str(), blob->size(), bytes);
  }
  if (bytes == 0) return Error::Ok;
  executorch_cuda_shims_clear_last_error();
  if (call.load_constants(container_, static_cast<const std::uint8_t*>(blob->data())) != 0) {
    return library_failed("load its constants");
  }
  // The copies are enqueued; the blob is given back when this returns.
  CUDA_OR_RETURN(cudaDeviceSynchronize());
  return Error::Ok;
}

Error Container::attach(const Payload& payload, const runtime::NamedDataMap* data, bool share_state,
                        const std::vector<Constant>& constants) {
  std::multimap<std::string_view, const Constant*> by_fqn;
  for (const Constant& one : constants) by_fqn.emplace(one.fqn.empty() ? one.name : one.fqn, &one);
  // Which storages the library may write to: those with a buffer of the model in them.
  std::map<std::pair<std::string_view, bool>, bool> is_constant;
  for (const ConstantEntry& entry : payload.constants) {
    const auto [first, last] = by_fqn.equal_range(entry.fqn);
    bool& constant =
        is_constant.emplace(std::pair(std::string_view(entry.storage_key), entry.on_device), true)
            .first->second;
    for (auto at = first; at != last; ++at) {
      const std::int32_t type = at->second->type;
      constant = constant && (type == kParameter || type == kTensorConstant);
    }
  }
  std::map<std::pair<std::string_view, bool>, std::shared_ptr<Weights>> storages;
  std::vector<AotiConstant> pairs;
  std::set<const Constant*> given;
  for (const ConstantEntry& entry : payload.constants) {
    const auto [first, last] = by_fqn.equal_range(entry.fqn);
    if (first == last) continue;  // of another method's
    const auto storage = std::pair(std::string_view(entry.storage_key), entry.on_device);
    std::shared_ptr<Weights>& weights = storages[storage];
    if (weights == nullptr) {
      using Sharing = WeightStore::Sharing;
      const Sharing sharing = is_constant[storage] ? Sharing::kConstant
                              : share_state        ? Sharing::kShared
                                                   : Sharing::kPrivate;
      OK_OR_RETURN(WeightStore::instance().get(data, entry.storage_key, entry.storage_bytes,
                                               entry.on_device ? device_ : -1, sharing, &weights));
      weights_.push_back(weights);
    }
    if (weights->bytes() != entry.storage_bytes) {
      REFUSE(InvalidProgram, "the manifest gives the storage '%s' two sizes",
             entry.storage_key.c_str());
    }
    OwnedTensor tensor;
    const AOTITorchError code = shims().create_tensor_from_blob(
        weights->data(), static_cast<std::int64_t>(entry.sizes.size()), entry.sizes.data(),
        entry.strides.data(), entry.storage_offset, entry.dtype, entry.on_device ? 1 : 0,
        entry.on_device ? device_ : 0, tensor.out());
    if (code != 0) return shim_failed(code, entry.fqn.c_str());
    for (auto at = first; at != last; ++at) {
      const Constant& one = *at->second;
      if (one.dtype != entry.dtype) {
        REFUSE(InvalidProgram, "constant '%s' is of type %d in the library and %d in the manifest",
               entry.fqn.c_str(), static_cast<int>(one.dtype), static_cast<int>(entry.dtype));
      }
      if (given.insert(&one).second) pairs.push_back({one.name.c_str(), tensor.get()});
    }
    constants_.push_back(std::move(tensor));
  }
  for (const Constant& one : constants) {
    if (!given.contains(&one)) {
      REFUSE(InvalidProgram, "the manifest lacks the constant '%s'",
             one.fqn.empty() ? one.name.c_str() : one.fqn.c_str());
    }
  }
  if (pairs.empty()) return Error::Ok;
  const AotiFunctions& call = library_->functions();
  if (call.use_constants == nullptr) {
    REFUSE(NotSupported, "the library has %zu constants, and no function to be given them",
           pairs.size());
  }
  executorch_cuda_shims_clear_last_error();
  if (call.use_constants(container_, pairs.data(), pairs.size(), false, true) != 0) {
    return library_failed("take its constants");
  }
  return Error::Ok;
}

Error Container::run(AtenTensorHandle* inputs, AtenTensorHandle* outputs,
                     cudaStream_t stream) const {
  const AotiFunctions& call = library_->functions();
  // The plain form waits for the run before it, which would keep the host from running ahead.
  const auto run = call.run_single_threaded != nullptr ? call.run_single_threaded : call.run;
  executorch_cuda_shims_clear_last_error();
  if (run(container_, inputs, num_inputs_, outputs, num_outputs_, stream, nullptr) != 0) {
    return library_failed("run");
  }
  return Error::Ok;
}

}  // namespace executorch::backends::cuda
