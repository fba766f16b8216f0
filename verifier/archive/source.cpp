#include "verifier/archive/source.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace wheelcheck {

namespace {

std::string errno_text(int number) {
  return std::error_code(number, std::generic_category()).message();
}

/// What is larger is read past the window.
constexpr std::size_t kSmallRead = 16 << 10;
constexpr std::uint64_t kWindow = 64 << 10;

}  // namespace

Result<FileSource> FileSource::open(const std::string& path) {
  // O_NONBLOCK: opening a fifo must not wait for a writer. It has no effect on regular files.
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) return Error{path, "cannot be opened: " + errno_text(errno), {}};
  FileSource source;
  source.name_ = path;
  source.descriptor_ = descriptor;
  struct stat status = {};
  if (::fstat(descriptor, &status) != 0) {
    return Error{path, "cannot be examined: " + errno_text(errno), {}};
  }
  if (!S_ISREG(status.st_mode)) {
    return Error{path, S_ISDIR(status.st_mode) ? "is a directory" : "is not a regular file", {}};
  }
  source.size_ = static_cast<std::uint64_t>(status.st_size);
  return source;
}

FileSource FileSource::from_memory(std::string name, Bytes bytes) {
  FileSource source;
  source.name_ = std::move(name);
  source.size_ = bytes.size();
  source.memory_ = bytes;
  return source;
}

FileSource::~FileSource() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

FileSource::FileSource(FileSource&& other) noexcept
    : name_(std::move(other.name_)),
      size_(other.size_),
      descriptor_(std::exchange(other.descriptor_, -1)),
      memory_(other.memory_) {}

FileSource& FileSource::operator=(FileSource&& other) noexcept {
  std::swap(name_, other.name_);
  std::swap(size_, other.size_);
  std::swap(descriptor_, other.descriptor_);
  std::swap(memory_, other.memory_);
  return *this;
}

std::optional<Error> FileSource::read(std::uint64_t offset, std::span<std::byte> out) const {
  if (offset > size_ || size_ - offset < out.size()) {
    return Error{name_,
                 "ends too early: " + std::to_string(out.size()) + " bytes wanted, " +
                     std::to_string(offset > size_ ? 0 : size_ - offset) + " are left",
                 offset};
  }
  if (descriptor_ < 0) {
    const Bytes part = memory_.subspan(static_cast<std::size_t>(offset), out.size());
    std::copy(part.begin(), part.end(), out.begin());
    return std::nullopt;
  }
  while (!out.empty()) {
    const ::ssize_t got =
        ::pread(descriptor_, out.data(), out.size(), static_cast<::off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return Error{name_, "cannot be read: " + errno_text(errno), offset};
    if (got == 0) return Error{name_, "became shorter while it was read", offset};
    offset += static_cast<std::uint64_t>(got);
    out = out.subspan(static_cast<std::size_t>(got));
  }
  return std::nullopt;
}

Result<std::vector<std::byte>> FileSource::read(std::uint64_t offset, std::uint64_t size) const {
  // Checked first, so that a length which lies cannot cause a large allocation.
  if (offset > size_ || size_ - offset < size) {
    return Error{name_,
                 "ends too early: " + std::to_string(size) + " bytes wanted, " +
                     std::to_string(offset > size_ ? 0 : size_ - offset) + " are left",
                 offset};
  }
  std::vector<std::byte> bytes(static_cast<std::size_t>(size));
  if (std::optional<Error> error = read(offset, std::span(bytes))) return *std::move(error);
  return bytes;
}

std::optional<Error> SourceWindow::read(std::uint64_t offset, std::span<std::byte> out) {
  const bool inside = offset >= at_ && offset - at_ <= bytes_.size() &&
                      bytes_.size() - (offset - at_) >= out.size();
  if (!inside) {
    if (out.size() > kSmallRead || offset > source_->size()) return source_->read(offset, out);
    bytes_.resize(
        static_cast<std::size_t>(std::min<std::uint64_t>(kWindow, source_->size() - offset)));
    at_ = offset;
    // Too few bytes are left: the source says so in its own words.
    if (bytes_.size() < out.size()) return source_->read(offset, out);
    if (std::optional<Error> error = source_->read(offset, std::span(bytes_))) {
      bytes_.clear();
      return error;
    }
  }
  std::copy_n(bytes_.begin() + static_cast<std::ptrdiff_t>(offset - at_), out.size(), out.begin());
  return std::nullopt;
}

}  // namespace wheelcheck
