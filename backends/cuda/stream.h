#pragma once

#include <memory>
#include <mutex>

#include "backends/cuda/error.h"
#include "shims/abi.h"

namespace executorch::backends::cuda {

/// A stream of our own. It is ordered with the legacy default stream, on which the runtime copies.
class Stream {
 public:
  Stream() = default;
  ~Stream();
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;

  /// On the thread's device.
  [[nodiscard]] static Error create(std::shared_ptr<Stream>* ret);
  /// The same without that order.
  [[nodiscard]] static Error create_unordered(std::shared_ptr<Stream>* ret);
  /// The one that delegates on this device share, made when there is none.
  [[nodiscard]] static Error shared(int device, std::shared_ptr<Stream>* ret);
  cudaStream_t get() const { return stream_; }

 private:
  cudaStream_t stream_ = nullptr;
};

/// Makes a stream the shims' current one on this thread while alive.
class CurrentStream {
 public:
  CurrentStream(cudaStream_t stream, int device);
  ~CurrentStream();
  CurrentStream(const CurrentStream&) = delete;
  CurrentStream& operator=(const CurrentStream&) = delete;
  [[nodiscard]] Error error() const;

 private:
  CUDAStreamGuardHandle guard_ = nullptr;
  AOTITorchError code_;
};

/// A point in a stream.
class Event {
 public:
  Event() = default;
  ~Event();
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  /// The point after all that is in the stream now.
  [[nodiscard]] Error record(cudaStream_t stream);
  /// Lets a stream wait for it; nothing when it was never recorded.
  [[nodiscard]] Error hold(cudaStream_t stream) const;
  /// Waits for it.
  [[nodiscard]] Error wait() const;

 private:
  cudaEvent_t event_ = nullptr;
};

}  // namespace executorch::backends::cuda
