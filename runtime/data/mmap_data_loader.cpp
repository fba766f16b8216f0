#include <cerrno>
#include <cstdint>
#include <cstring>
#include <executorch/extension/data_loader/mmap_data_loader.h>
#include <sys/mman.h>
#include <unistd.h>

#include "runtime/data/open_file.h"

namespace executorch::extension {

using runtime::Error;
using runtime::FreeableBuffer;
using runtime::Result;

namespace {

// The context is the page size; the mapping begins at the page that `data` lies in.
void unmap(void* context, void* data, size_t size) {
  const uintptr_t page_size = reinterpret_cast<uintptr_t>(context);
  const uintptr_t extra = reinterpret_cast<uintptr_t>(data) & (page_size - 1);
  munmap(static_cast<uint8_t*>(data) - extra, size + extra);
}

// Does with the pages what the configuration asks for.
Error prepare(void* pages, size_t size, MmapDataLoader::MlockConfig config) {
  switch (config) {
    case MmapDataLoader::MlockConfig::NoMlock:
      break;
    case MmapDataLoader::MlockConfig::UseMlock:
      ET_CHECK_OR_RETURN_ERROR(mlock(pages, size) == 0, NotSupported,
                               "%zu bytes can't be kept in memory: %s (raise the limit with "
                               "ulimit -l, or use another MlockConfig)",
                               size, std::strerror(errno));
      break;
    case MmapDataLoader::MlockConfig::UseMlockIgnoreErrors:
      if (mlock(pages, size) != 0) {
        ET_LOG(Debug, "%zu bytes are not kept in memory: %s", size, std::strerror(errno));
      }
      break;
    case MmapDataLoader::MlockConfig::UseMadvise:
      // Advice: what it doesn't do is no error.
      madvise(pages, size, MADV_WILLNEED);
      break;
  }
  return Error::Ok;
}

}  // namespace

Result<MmapDataLoader> MmapDataLoader::from(const char* file_name, MlockConfig mlock_config) {
  const long page_size = sysconf(_SC_PAGESIZE);
  ET_CHECK_OR_RETURN_ERROR(page_size > 0, AccessFailed, "%s", "The page size is not known.");
  const auto file = internal::open_file(file_name);
  if (!file.ok()) {
    return file.error();
  }
  return MmapDataLoader(file->fd, file->size, static_cast<size_t>(page_size), mlock_config);
}

MmapDataLoader::~MmapDataLoader() {
  if (fd_ >= 0) {
    close(fd_);
  }
}

Result<FreeableBuffer> MmapDataLoader::load(size_t offset, size_t size,
                                            ET_UNUSED const SegmentInfo& segment_info) const {
  ET_CHECK_OK_OR_RETURN_ERROR(internal::check_open(fd_));
  ET_CHECK_OK_OR_RETURN_ERROR(internal::check_range(offset, size, file_size_));
  if (size == 0) {
    return FreeableBuffer(nullptr, 0, nullptr);
  }
  const size_t extra = offset & (page_size_ - 1);
  void* const pages =
      mmap(nullptr, size + extra, PROT_READ, MAP_PRIVATE, fd_, static_cast<off_t>(offset - extra));
  ET_CHECK_OR_RETURN_ERROR(pages != MAP_FAILED, AccessFailed,
                           "%zu bytes at offset %zu can't be mapped: %s", size, offset,
                           std::strerror(errno));
  FreeableBuffer buffer(static_cast<const uint8_t*>(pages) + extra, size, unmap,
                        // NOLINTNEXTLINE(performance-no-int-to-ptr): a number carried as a context
                        reinterpret_cast<void*>(page_size_));
  ET_CHECK_OK_OR_RETURN_ERROR(prepare(pages, size + extra, mlock_config_));
  return buffer;
}

Error MmapDataLoader::load_into(size_t offset, size_t size, ET_UNUSED const SegmentInfo& info,
                                void* buffer) const {
  return internal::load_into({fd_, file_size_}, offset, size, buffer);
}

Result<size_t> MmapDataLoader::size() const { return internal::size_of({fd_, file_size_}); }

}  // namespace executorch::extension
