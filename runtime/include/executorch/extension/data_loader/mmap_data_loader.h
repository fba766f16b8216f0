#pragma once

#include <cstddef>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch::extension {

/// Maps a file into memory, piece by piece. Move-only.
///
/// The file must not be cut while it is mapped: reading a page that is gone ends the process.
class ET_API MmapDataLoader final : public runtime::DataLoader {
 public:
  enum class MlockConfig {
    /// Pages are read when they are touched.
    NoMlock,
    /// Pages are read and kept in memory; a failure to do so is an error.
    UseMlock,
    /// The same, and a failure is ignored.
    UseMlockIgnoreErrors,
    /// The system is asked to read the pages soon.
    UseMadvise,
  };

  /// Opens a file. AccessFailed when it can't be opened or is no regular file.
  static runtime::Result<MmapDataLoader> from(const char* file_name,
                                              MlockConfig mlock_config = MlockConfig::UseMlock);
  ET_DEPRECATED static runtime::Result<MmapDataLoader> From(
      const char* file_name, MlockConfig mlock_config = MlockConfig::UseMlock) {
    return from(file_name, mlock_config);
  }
  ET_DEPRECATED static runtime::Result<MmapDataLoader> From(const char* file_name, bool use_mlock) {
    return from(file_name, use_mlock ? MlockConfig::UseMlock : MlockConfig::NoMlock);
  }

  MmapDataLoader(MmapDataLoader&& other) noexcept
      : fd_(other.fd_),
        file_size_(other.file_size_),
        page_size_(other.page_size_),
        mlock_config_(other.mlock_config_) {
    other.fd_ = -1;
    other.file_size_ = 0;
  }
  MmapDataLoader(const MmapDataLoader&) = delete;
  MmapDataLoader& operator=(const MmapDataLoader&) = delete;
  MmapDataLoader& operator=(MmapDataLoader&&) = delete;
  ~MmapDataLoader() override;

  ET_NODISCARD runtime::Result<runtime::FreeableBuffer> load(
      size_t offset, size_t size, const SegmentInfo& segment_info) const override;
  ET_NODISCARD runtime::Error load_into(size_t offset, size_t size, const SegmentInfo& segment_info,
                                        void* buffer) const override;
  ET_NODISCARD runtime::Result<size_t> size() const override;

 private:
  MmapDataLoader(int fd, size_t file_size, size_t page_size, MlockConfig mlock_config)
      : fd_(fd), file_size_(file_size), page_size_(page_size), mlock_config_(mlock_config) {}

  int fd_;
  size_t file_size_;
  size_t page_size_;
  MlockConfig mlock_config_;
};

}  // namespace executorch::extension

namespace torch::executor::util {
using ::executorch::extension::MmapDataLoader;
}  // namespace torch::executor::util
