#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/log.h>

namespace executorch::extension {

/// Bytes in memory that someone else owns, and that outlive the loader and its buffers. Nothing
/// is copied.
class BufferDataLoader final : public runtime::DataLoader {
 public:
  BufferDataLoader(const void* data, size_t size)
      : data_(static_cast<const uint8_t*>(data)), size_(size) {}

  ET_NODISCARD runtime::Result<runtime::FreeableBuffer> load(
      size_t offset, size_t size, ET_UNUSED const SegmentInfo& segment_info) const override {
    ET_CHECK_OR_RETURN_ERROR(offset <= size_ && size <= size_ - offset, InvalidArgument,
                             "%zu bytes at offset %zu of %zu.", size, offset, size_);
    return runtime::FreeableBuffer(size == 0 ? nullptr : data_ + offset, size, nullptr);
  }

  ET_NODISCARD runtime::Error load_into(size_t offset, size_t size, const SegmentInfo& segment_info,
                                        void* buffer) const override {
    ET_CHECK_OR_RETURN_ERROR(buffer != nullptr || size == 0, InvalidArgument, "%s",
                             "There is no buffer to load into.");
    const auto loaded = load(offset, size, segment_info);
    if (loaded.ok() && size != 0) {
      std::memcpy(buffer, loaded->data(), size);
    }
    return loaded.error();
  }

  ET_NODISCARD runtime::Result<size_t> size() const override { return size_; }

 private:
  const uint8_t* data_;
  size_t size_;
};

}  // namespace executorch::extension

namespace torch::executor::util {
using ::executorch::extension::BufferDataLoader;
}  // namespace torch::executor::util
