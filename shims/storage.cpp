#include "shims/storage.h"

#include <cstdlib>
#include <string>

#include "shims/current_stream.h"

namespace shims {
namespace {

// What libraries compiled for wide vector registers may assume of host tensors.
constexpr std::size_t kHostAlignment = 64;

}  // namespace

Storage::~Storage() {
  switch (owner_) {
    case Owner::kCaller:
      break;
    case Owner::kHost:
      std::free(data_);
      break;
    case Owner::kPinned:
      static_cast<void>(cudaFreeHost(data_));
      break;
    case Owner::kDevice:
      release(block_);
      break;
  }
}

Error borrow_storage(void* data, std::size_t bytes, Device device, StorageRef* ret) {
  StorageRef made(new Storage);
  made->data_ = static_cast<std::byte*>(data);
  made->bytes_ = bytes;
  made->device_ = device;
  *ret = std::move(made);
  return Error::kOk;
}

Error allocate_storage(std::size_t bytes, Device device, bool pinned, StorageRef* ret) {
  StorageRef made(new Storage);
  made->bytes_ = bytes;
  made->device_ = device;
  if (device.is_cuda()) {
    if (void* const place = place_in_run(bytes, &made->number_); place != nullptr) {
      made->data_ = static_cast<std::byte*>(place);
      *ret = std::move(made);
      return Error::kOk;
    }
    cudaStream_t stream = nullptr;
    SHIMS_TRY(current_stream(device.index, &stream));
    SHIMS_TRY(allocate(device.index, stream, bytes, &made->block_));
    made->data_ = static_cast<std::byte*>(made->block_.data);
    made->owner_ = Storage::Owner::kDevice;
  } else if (bytes != 0 && pinned) {
    void* data = nullptr;
    SHIMS_CUDA(cudaMallocHost(&data, bytes));
    made->data_ = static_cast<std::byte*>(data);
    made->owner_ = Storage::Owner::kPinned;
  } else if (bytes != 0) {
    const std::size_t rounded = (bytes + kHostAlignment - 1) / kHostAlignment * kHostAlignment;
    void* data = rounded < bytes ? nullptr : std::aligned_alloc(kHostAlignment, rounded);
    if (data == nullptr) {
      return fail(Error::kMemoryAllocationFailed,
                  "no host memory for " + std::to_string(bytes) + " bytes");
    }
    made->data_ = static_cast<std::byte*>(data);
    made->owner_ = Storage::Owner::kHost;
  }
  *ret = std::move(made);
  return Error::kOk;
}

}  // namespace shims
