#include <algorithm>
#include <cstdlib>
#include <executorch/extension/data_loader/file_data_loader.h>
#include <unistd.h>

#include "runtime/data/open_file.h"

namespace executorch::extension {

using runtime::Error;
using runtime::FreeableBuffer;
using runtime::Result;

Result<FileDataLoader> FileDataLoader::from(const char* file_name, size_t alignment) {
  ET_CHECK_OR_RETURN_ERROR(alignment != 0 && (alignment & (alignment - 1)) == 0, InvalidArgument,
                           "Alignment %zu is not a power of two.", alignment);
  const auto file = internal::open_file(file_name);
  if (!file.ok()) {
    return file.error();
  }
  return FileDataLoader(file->fd, file->size, alignment);
}

FileDataLoader::~FileDataLoader() {
  if (fd_ >= 0) {
    close(fd_);
  }
}

Result<FreeableBuffer> FileDataLoader::load(size_t offset, size_t size,
                                            const SegmentInfo& segment_info) const {
  ET_CHECK_OK_OR_RETURN_ERROR(internal::check_range(offset, size, file_size_));
  if (size == 0) {
    return FreeableBuffer(nullptr, 0, nullptr);
  }
  void* memory = nullptr;
  ET_CHECK_OR_RETURN_ERROR(posix_memalign(&memory, std::max(alignment_, sizeof(void*)), size) == 0,
                           MemoryAllocationFailed, "No memory for %zu bytes of the file.", size);
  FreeableBuffer buffer(memory, size, [](void*, void* data, size_t) { std::free(data); });
  ET_CHECK_OK_OR_RETURN_ERROR(load_into(offset, size, segment_info, memory));
  return buffer;
}

Error FileDataLoader::load_into(size_t offset, size_t size, ET_UNUSED const SegmentInfo& info,
                                void* buffer) const {
  return internal::load_into({fd_, file_size_}, offset, size, buffer);
}

Result<size_t> FileDataLoader::size() const { return internal::size_of({fd_, file_size_}); }

}  // namespace executorch::extension
