#include "backends/cuda/private_file.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "backends/cuda/refusal.h"

#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

namespace executorch::backends::cuda {
namespace {

// A path of the open file that was never used before: the number, in binary, is spelt by slashes
// with and without a dot, which change nothing about where the path leads.
std::string fresh_path(int descriptor) {
  static std::atomic<std::uint64_t> calls{0};
  std::string path = "/proc/self/fd";
  for (std::uint64_t number = ++calls; number != 0; number >>= 1) {
    path += (number & 1) != 0 ? "/." : "/";
  }
  return path + "/" + std::to_string(descriptor);
}

int open_memory() {
  // Where files in memory may not be executed unless they say so; older systems do not know the
  // flag.
  const int with_flag = memfd_create("executorch_cuda", MFD_CLOEXEC | MFD_EXEC);
  return with_flag >= 0 ? with_flag : memfd_create("executorch_cuda", MFD_CLOEXEC);
}

int open_unlinked() {
  const char* folder = std::getenv("TMPDIR");
  if (folder == nullptr || *folder == '\0') folder = "/tmp";
  std::string name = std::string(folder) + "/executorch_cuda_XXXXXX";
  const int descriptor = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor >= 0) static_cast<void>(unlink(name.c_str()));
  return descriptor;
}

}  // namespace

PrivateFile::~PrivateFile() {
  if (descriptor_ >= 0) static_cast<void>(close(descriptor_));
}

Error PrivateFile::create(std::span<const std::uint8_t> content) {
  descriptor_ = open_memory();
  if (descriptor_ < 0) return create_on_disk(content);
  return fill(content);
}

Error PrivateFile::create_on_disk(std::span<const std::uint8_t> content) {
  descriptor_ = open_unlinked();
  if (descriptor_ < 0) {
    REFUSE(AccessFailed, "no file for a library of %zu bytes, neither in memory nor in TMPDIR: %s",
           content.size(), std::strerror(errno));
  }
  return fill(content);
}

Error PrivateFile::fill(std::span<const std::uint8_t> content) {
  size_ = content.size();
  while (!content.empty()) {
    const ssize_t written = write(descriptor_, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) {
      REFUSE(AccessFailed, "a library of %zu bytes can't be written: %s", size_,
             std::strerror(errno));
    }
    content = content.subspan(static_cast<std::size_t>(written));
  }
  path_ = fresh_path(descriptor_);
  return Error::Ok;
}

Error PrivateFile::overwrite(std::uint64_t offset, std::span<const std::uint8_t> bytes) const {
  const ssize_t written =
      pwrite(descriptor_, bytes.data(), bytes.size(), static_cast<off_t>(offset));
  if (written < 0 || static_cast<std::size_t>(written) != bytes.size()) {
    REFUSE(AccessFailed, "a library of %zu bytes can't be changed: %s", size_,
           std::strerror(errno));
  }
  return Error::Ok;
}

Error PrivateFile::map(std::span<const std::uint8_t>* ret) const {
  void* const place = mmap(nullptr, size_, PROT_READ, MAP_SHARED, descriptor_, 0);
  if (place == MAP_FAILED) {
    REFUSE(AccessFailed, "a library of %zu bytes can't be mapped: %s", size_, std::strerror(errno));
  }
  *ret = {static_cast<const std::uint8_t*>(place), size_};
  return Error::Ok;
}

}  // namespace executorch::backends::cuda
