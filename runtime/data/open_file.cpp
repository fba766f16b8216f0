#include "runtime/data/open_file.h"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace executorch::extension::internal {

using runtime::Error;

runtime::Result<OpenFile> open_file(const char* file_name) {
  ET_CHECK_OR_RETURN_ERROR(file_name != nullptr, InvalidArgument, "%s", "A null file name.");
  const int fd = open(file_name, O_RDONLY | O_CLOEXEC);
  ET_CHECK_OR_RETURN_ERROR(fd >= 0, AccessFailed, "%s can't be opened: %s", file_name,
                           std::strerror(errno));
  struct stat status {};
  if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
    ET_LOG(Error, "%s is no regular file.", file_name);
    close(fd);
    return Error::AccessFailed;
  }
  return OpenFile{fd, static_cast<size_t>(status.st_size)};
}

namespace {

// Reads exactly `size` bytes at `offset`. AccessFailed when they can't be read.
Error read_exactly(int fd, size_t offset, size_t size, void* buffer) {
  // Linux reads at most about 2 GiB at once.
  constexpr size_t kMaxAtOnce = size_t{1} << 30;
  uint8_t* next = static_cast<uint8_t*>(buffer);
  while (size > 0) {
    const ssize_t got = pread(fd, next, std::min(size, kMaxAtOnce), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) {
      continue;
    }
    ET_CHECK_OR_RETURN_ERROR(got > 0, AccessFailed, "%zu bytes at offset %zu can't be read: %s",
                             size, offset, got == 0 ? "the file ends" : std::strerror(errno));
    next += got;
    offset += static_cast<size_t>(got);
    size -= static_cast<size_t>(got);
  }
  return Error::Ok;
}

}  // namespace

Error load_into(const OpenFile& file, size_t offset, size_t size, void* buffer) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_open(file.fd));
  ET_CHECK_OK_OR_RETURN_ERROR(check_range(offset, size, file.size));
  ET_CHECK_OR_RETURN_ERROR(buffer != nullptr || size == 0, InvalidArgument, "%s",
                           "There is no buffer to load into.");
  return read_exactly(file.fd, offset, size, buffer);
}

runtime::Result<size_t> size_of(const OpenFile& file) {
  ET_CHECK_OK_OR_RETURN_ERROR(check_open(file.fd));
  return file.size;
}

}  // namespace executorch::extension::internal
