#include "backends/cuda/weights.h"

#include <algorithm>
#include <cinttypes>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <vector>

#include "backends/cuda/device.h"
#include "backends/cuda/sha256.h"

namespace executorch::backends::cuda {
namespace {

// What compiled libraries may assume of constants on the host.
constexpr std::size_t kHostAlignment = 64;
// Bytes that are brought back at a time to be compared.
constexpr std::size_t kChunk = 8u << 20;

}  // namespace

Weights::~Weights() {
  if (device_ < 0) {
    std::free(data_);
    return;
  }
  const DeviceScope scope(device_);
  if (cudaFree(data_) != cudaSuccess) static_cast<void>(cudaGetLastError());
}

Error Weights::create(const void* source, std::size_t bytes, int device,
                      std::shared_ptr<Weights>* ret) {
  auto made = std::make_shared<Weights>();
  made->bytes_ = bytes;
  made->device_ = device;
  if (bytes == 0) {
    *ret = std::move(made);
    return Error::Ok;
  }
  if (device < 0) {
    void* place = nullptr;
    if (posix_memalign(&place, kHostAlignment, bytes) != 0) {
      REFUSE(MemoryAllocationFailed, "no host memory for constants of %zu bytes", bytes);
    }
    made->data_ = static_cast<std::byte*>(place);
    std::memcpy(place, source, bytes);
  } else {
    const DeviceScope scope(device);
    OK_OR_RETURN(scope.error());
    void* place = nullptr;
    CUDA_OR_RETURN(cudaMalloc(&place, bytes));
    made->data_ = static_cast<std::byte*>(place);
    CUDA_OR_RETURN(cudaMemcpy(place, source, bytes, cudaMemcpyHostToDevice));
  }
  *ret = std::move(made);
  return Error::Ok;
}

Error Weights::holds(const void* source, std::size_t bytes, bool* ret) const {
  *ret = false;
  if (bytes != bytes_) return Error::Ok;
  if (device_ < 0 || bytes == 0) {
    *ret = bytes == 0 || std::memcmp(source, data_, bytes) == 0;
    return Error::Ok;
  }
  const DeviceScope scope(device_);
  OK_OR_RETURN(scope.error());
  const auto* const wanted = static_cast<const std::byte*>(source);
  std::vector<std::byte> chunk(std::min(bytes, kChunk));
  for (std::size_t at = 0; at < bytes; at += chunk.size()) {
    const std::size_t count = std::min(chunk.size(), bytes - at);
    CUDA_OR_RETURN(cudaMemcpy(chunk.data(), data_ + at, count, cudaMemcpyDeviceToHost));
    if (std::memcmp(chunk.data(), wanted + at, count) != 0) return Error::Ok;
  }
  *ret = true;
  return Error::Ok;
}

struct WeightStore::Entry {
  int device = -1;
  Sharing sharing = Sharing::kConstant;
  Sha256 began_with{};
  std::weak_ptr<Weights> weights;
};

struct WeightStore::State {
  std::mutex mutex;
  std::multimap<std::string, Entry> entries;
};

WeightStore& WeightStore::instance() {
  static WeightStore store;
  return store;
}

WeightStore::State& WeightStore::state() {
  // Outlives delegates that end with the process.
  static auto* const state = new State();
  return *state;
}

Error WeightStore::get(const runtime::NamedDataMap* data, const std::string& key, std::size_t bytes,
                       int device, Sharing sharing, std::shared_ptr<Weights>* ret) {
  if (data == nullptr) {
    REFUSE(NotFound, "the program has no named data, so no weights '%s'", key.c_str());
  }
  auto found = data->get_data(key);
  if (!found.ok()) {
    REFUSE(
        NotFound,
        "the weights '%s' are not in the program or its data files (0x%x): give the .ptd file that "
        "was exported with it, such as aoti_cuda_blob.ptd",
        key.c_str(), static_cast<unsigned>(found.error()));
  }
  if (found->size() != bytes) {
    REFUSE(InvalidExternalData, "the weights '%s' are %zu bytes, and the program needs %zu",
           key.c_str(), found->size(), bytes);
  }
  const void* const source = found->data();
  if (sharing == Sharing::kPrivate) return Weights::create(source, bytes, device, ret);

  Entry wanted{device, sharing, {}, {}};
  if (sharing == Sharing::kShared) {
    wanted.began_with = sha256({static_cast<const std::uint8_t*>(source), bytes});
  }
  State& shared = state();
  // Held while weights are copied: two methods that want the same ones load them once.
  const std::lock_guard lock(shared.mutex);
  std::erase_if(shared.entries, [](const auto& entry) { return entry.second.weights.expired(); });
  const auto [first, last] = shared.entries.equal_range(key);
  for (auto at = first; at != last; ++at) {
    const Entry& entry = at->second;
    std::shared_ptr<Weights> weights = entry.weights.lock();
    if (weights == nullptr || weights->bytes() != bytes || entry.device != device ||
        entry.sharing != sharing) {
      continue;
    }
    bool same = entry.began_with == wanted.began_with;
    if (sharing == Sharing::kConstant) OK_OR_RETURN(weights->holds(source, bytes, &same));
    if (same) {
      *ret = std::move(weights);
      return Error::Ok;
    }
  }
  OK_OR_RETURN(Weights::create(source, bytes, device, ret));
  wanted.weights = *ret;
  shared.entries.emplace(key, wanted);
  return Error::Ok;
}

}  // namespace executorch::backends::cuda
