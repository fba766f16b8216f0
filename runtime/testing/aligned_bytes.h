// Bytes at an aligned place, for tests that read them as a file.

#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <span>

#include "runtime/testing/flatbuffer_writer.h"

namespace executorch::runtime::testing {

/// A copy of bytes at an address that is a multiple of 64, and no byte longer than it has to be, so
/// that a sanitizer sees a read behind the end.
class AlignedBytes {
 public:
  explicit AlignedBytes(std::span<const std::uint8_t> bytes) : size_(bytes.size()) {
    void* memory = nullptr;
    constexpr std::size_t kAlignment = 64;
    if (posix_memalign(&memory, kAlignment, size_ == 0 ? 1 : size_) != 0) std::abort();
    data_.reset(static_cast<std::uint8_t*>(memory));
    if (size_ != 0) std::memcpy(data_.get(), bytes.data(), size_);
  }

  std::size_t size() const { return size_; }
  std::span<const std::uint8_t> view() const { return {data_.get(), size_}; }

 private:
  struct Free {
    void operator()(std::uint8_t* memory) const { std::free(memory); }
  };
  std::unique_ptr<std::uint8_t, Free> data_;
  std::size_t size_;
};

}  // namespace executorch::runtime::testing
