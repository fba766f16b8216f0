#pragma once

#include <cstddef>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>
#include <memory>

namespace executorch::extension {

/// Reads a file into memory of its own, piece by piece. Move-only.
class ET_API FileDataLoader final : public runtime::DataLoader {
 public:
  /// Opens a file. Buffers will lie at multiples of `alignment`, a power of two. AccessFailed when
  /// the file can't be opened or is no regular file.
  static runtime::Result<FileDataLoader> from(const char* file_name,
                                              size_t alignment = alignof(std::max_align_t));
  ET_DEPRECATED static runtime::Result<FileDataLoader> From(
      const char* file_name, size_t alignment = alignof(std::max_align_t)) {
    return from(file_name, alignment);
  }

  FileDataLoader(FileDataLoader&& other) noexcept
      : fd_(other.fd_), file_size_(other.file_size_), alignment_(other.alignment_) {
    other.fd_ = -1;
    other.file_size_ = 0;
  }
  FileDataLoader(const FileDataLoader&) = delete;
  FileDataLoader& operator=(const FileDataLoader&) = delete;
  FileDataLoader& operator=(FileDataLoader&&) = delete;
  ~FileDataLoader() override;

  ET_NODISCARD runtime::Result<runtime::FreeableBuffer> load(
      size_t offset, size_t size, const SegmentInfo& segment_info) const override;
  ET_NODISCARD runtime::Error load_into(size_t offset, size_t size, const SegmentInfo& segment_info,
                                        void* buffer) const override;
  ET_NODISCARD runtime::Result<size_t> size() const override;

 private:
  FileDataLoader(int fd, size_t file_size, size_t alignment)
      : fd_(fd), file_size_(file_size), alignment_(alignment) {}

  int fd_;
  size_t file_size_;
  size_t alignment_;
};

}  // namespace executorch::extension

namespace torch::executor::util {
using ::executorch::extension::FileDataLoader;
}  // namespace torch::executor::util
