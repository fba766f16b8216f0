#pragma once

#include <cstddef>
#include <executorch/extension/data_loader/buffer_data_loader.h>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/result.h>
#include <memory>
#include <utility>

namespace executorch::extension {

/// Bytes in memory that the loader shares with others. It has to outlive its buffers. Nothing is
/// copied.
class SharedPtrDataLoader final : public runtime::DataLoader {
 public:
  SharedPtrDataLoader(std::shared_ptr<void> data, size_t size)
      : data_(std::move(data)), loader_(data_.get(), size) {}

  ET_NODISCARD runtime::Result<runtime::FreeableBuffer> load(
      size_t offset, size_t size, const SegmentInfo& segment_info) const override {
    return loader_.load(offset, size, segment_info);
  }
  ET_NODISCARD runtime::Error load_into(size_t offset, size_t size, const SegmentInfo& segment_info,
                                        void* buffer) const override {
    return loader_.load_into(offset, size, segment_info, buffer);
  }
  ET_NODISCARD runtime::Result<size_t> size() const override { return loader_.size(); }

 private:
  std::shared_ptr<void> data_;
  BufferDataLoader loader_;
};

}  // namespace executorch::extension

namespace torch::executor::util {
using ::executorch::extension::SharedPtrDataLoader;
}  // namespace torch::executor::util
