#include "backends/cuda/stream.h"

#include <map>

#include "backends/cuda/shims_table.h"
#include "backends/cuda/tensor.h"

namespace executorch::backends::cuda {

Stream::~Stream() {
  if (stream_ != nullptr && cudaStreamDestroy(stream_) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
  }
}

Error Stream::create(std::shared_ptr<Stream>* ret) {
  auto made = std::make_shared<Stream>();
  CUDA_OR_RETURN(cudaStreamCreate(&made->stream_));
  *ret = std::move(made);
  return Error::Ok;
}

Error Stream::create_unordered(std::shared_ptr<Stream>* ret) {
  auto made = std::make_shared<Stream>();
  CUDA_OR_RETURN(cudaStreamCreateWithFlags(&made->stream_, cudaStreamNonBlocking));
  *ret = std::move(made);
  return Error::Ok;
}

Error Stream::shared(int device, std::shared_ptr<Stream>* ret) {
  struct All {
    std::mutex mutex;
    std::map<int, std::weak_ptr<Stream>> streams;
  };
  static auto* const all = new All();
  const std::lock_guard lock(all->mutex);
  std::weak_ptr<Stream>& known = all->streams[device];
  *ret = known.lock();
  if (*ret != nullptr) return Error::Ok;
  OK_OR_RETURN(create(ret));
  known = *ret;
  return Error::Ok;
}

CurrentStream::CurrentStream(cudaStream_t stream, int device)
    : code_(shims().create_cuda_stream_guard(stream, device, &guard_)) {}

CurrentStream::~CurrentStream() {
  if (guard_ != nullptr) static_cast<void>(shims().delete_cuda_stream_guard(guard_));
}

Error CurrentStream::error() const {
  return code_ == 0 ? Error::Ok : shim_failed(code_, "selecting a stream");
}

Event::~Event() {
  if (event_ != nullptr && cudaEventDestroy(event_) != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
  }
}

Error Event::record(cudaStream_t stream) {
  if (event_ == nullptr) {
    CUDA_OR_RETURN(cudaEventCreateWithFlags(&event_, cudaEventDisableTiming));
  }
  CUDA_OR_RETURN(cudaEventRecord(event_, stream));
  return Error::Ok;
}

Error Event::hold(cudaStream_t stream) const {
  if (event_ != nullptr) CUDA_OR_RETURN(cudaStreamWaitEvent(stream, event_, 0));
  return Error::Ok;
}

Error Event::wait() const {
  if (event_ != nullptr) CUDA_OR_RETURN(cudaEventSynchronize(event_));
  return Error::Ok;
}

}  // namespace executorch::backends::cuda
