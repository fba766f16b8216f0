#pragma once

#include <cstddef>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>

namespace executorch::extension::internal {

/// An open file and its size.
struct OpenFile {
  int fd;
  size_t size;
};

/// Opens a regular file for reading. AccessFailed when there is none.
runtime::Result<OpenFile> open_file(const char* file_name);

/// InvalidState when the file was moved away.
inline runtime::Error check_open(int fd) {
  ET_CHECK_OR_RETURN_ERROR(fd >= 0, InvalidState, "%s", "The loader was moved from.");
  return runtime::Error::Ok;
}

/// InvalidArgument unless `size` bytes at `offset` lie in a file of `file_size`.
inline runtime::Error check_range(size_t offset, size_t size, size_t file_size) {
  ET_CHECK_OR_RETURN_ERROR(offset <= file_size && size <= file_size - offset, InvalidArgument,
                           "%zu bytes at offset %zu of a file of %zu.", size, offset, file_size);
  return runtime::Error::Ok;
}

/// What the loaders of files share. InvalidState for a file that was moved away (fd -1).
runtime::Error load_into(const OpenFile& file, size_t offset, size_t size, void* buffer);
runtime::Result<size_t> size_of(const OpenFile& file);

}  // namespace executorch::extension::internal
