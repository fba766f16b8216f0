#include "verifier/archive/raw_member.h"

#include <algorithm>
#include <string>
#include <utility>

namespace wheelcheck {

RawMembers::RawMembers(const FileSource& source, const ArchiveFacts& archive, RawVia via)
    : source_(source), archive_(archive) {
  if (via != RawVia::libzip || !archive.libzip_agrees) return;
  // It opened once, for the comparison. Should it not do so again, members are read without it.
  if (Result<LibzipArchive> opened = LibzipArchive::open(source)) libzip_ = *std::move(opened);
}

std::optional<Error> RawMembers::open(std::size_t index) {
  file_.reset();
  member_ = &archive_.members[index];
  left_ = member_->compressed_size;
  if (!libzip_ || left_ == 0) return std::nullopt;
  file_.reset(zip_fopen_index(libzip_->get(), index, ZIP_FL_COMPRESSED));
  if (file_ == nullptr) {
    return Error{member_->path, std::string("libzip: ") + zip_strerror(libzip_->get()),
                 member_->header_offset};
  }
  return std::nullopt;
}

Result<std::size_t> RawMembers::read(std::span<std::byte> out) {
  const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), left_));
  const std::uint64_t at = member_->data_offset + (member_->compressed_size - left_);
  if (file_ == nullptr) {
    if (std::optional<Error> error = source_.read(at, out.first(size))) return *std::move(error);
    left_ -= size;
    return size;
  }
  std::size_t done = 0;
  while (done < size) {
    const zip_int64_t got = zip_fread(file_.get(), out.data() + done, size - done);
    if (got <= 0) {
      const std::string why = got < 0 ? zip_file_strerror(file_.get()) : "ends too early";
      return Error{member_->path, "libzip: " + why, at + done};
    }
    done += static_cast<std::size_t>(got);
  }
  left_ -= size;
  return size;
}

}  // namespace wheelcheck
