#include "verifier/archive/libzip_view.h"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace wheelcheck {

struct LibzipArchive::Cursor {
  const FileSource* source;
  std::uint64_t position = 0;
  zip_error_t error{};
  // libzip reads headers piece by piece.
  SourceWindow window;

  explicit Cursor(const FileSource& file) : source(&file), window(file) {}

  static zip_int64_t callback(void* user, void* data, zip_uint64_t length,
                              zip_source_cmd_t command) {
    return static_cast<Cursor*>(user)->run(data, length, command);
  }

  zip_int64_t run(void* data, zip_uint64_t length, zip_source_cmd_t command) {
    switch (command) {
      case ZIP_SOURCE_OPEN:
        position = 0;
        return 0;
      case ZIP_SOURCE_READ:
        return read(data, length);
      case ZIP_SOURCE_SEEK:
        return seek(data, length);
      case ZIP_SOURCE_TELL:
        return static_cast<zip_int64_t>(position);
      case ZIP_SOURCE_STAT:
        return stat(data);
      case ZIP_SOURCE_CLOSE:
      case ZIP_SOURCE_FREE:
        return 0;
      case ZIP_SOURCE_ERROR:
        return zip_error_to_data(&error, data, length);
      case ZIP_SOURCE_SUPPORTS:
        return zip_source_make_command_bitmap(
            ZIP_SOURCE_OPEN, ZIP_SOURCE_READ, ZIP_SOURCE_CLOSE, ZIP_SOURCE_STAT, ZIP_SOURCE_ERROR,
            ZIP_SOURCE_FREE, ZIP_SOURCE_SEEK, ZIP_SOURCE_TELL, ZIP_SOURCE_SUPPORTS, -1);
      default:
        break;
    }
    zip_error_set(&error, ZIP_ER_OPNOTSUPP, 0);
    return -1;
  }

  zip_int64_t read(void* data, zip_uint64_t length) {
    const std::uint64_t left = position < source->size() ? source->size() - position : 0;
    const std::uint64_t count = std::min<std::uint64_t>(length, left);
    const std::span out(static_cast<std::byte*>(data), static_cast<std::size_t>(count));
    if (window.read(position, out)) {
      zip_error_set(&error, ZIP_ER_READ, 0);
      return -1;
    }
    position += count;
    return static_cast<zip_int64_t>(count);
  }

  zip_int64_t seek(void* data, zip_uint64_t length) {
    const zip_int64_t to =
        zip_source_seek_compute_offset(position, source->size(), data, length, &error);
    if (to < 0) return -1;
    position = static_cast<std::uint64_t>(to);
    return 0;
  }

  zip_int64_t stat(void* data) const {
    zip_stat_t status;
    zip_stat_init(&status);
    status.valid = ZIP_STAT_SIZE;
    status.size = source->size();
    std::memcpy(data, &status, sizeof status);
    return sizeof status;
  }
};

void LibzipArchive::DeleteCursor::operator()(Cursor* cursor) const { delete cursor; }

Result<LibzipArchive> LibzipArchive::open(const FileSource& source) {
  LibzipArchive opened;
  opened.cursor_.reset(new Cursor(source));
  zip_error_t error;
  zip_error_init(&error);
  const auto failed = [&]() {
    Error result{source.name(), std::string("libzip: ") + zip_error_strerror(&error), {}};
    zip_error_fini(&error);
    return result;
  };
  zip_source_t* raw = zip_source_function_create(&Cursor::callback, opened.cursor_.get(), &error);
  if (raw == nullptr) return failed();
  opened.archive_.reset(zip_open_from_source(raw, ZIP_RDONLY, &error));
  if (opened.archive_ == nullptr) {
    Error result = failed();
    zip_source_free(raw);
    return result;
  }
  zip_error_fini(&error);
  return opened;
}

namespace {

/// What libzip says otherwise of one member; empty: nothing.
std::string difference(zip_t* archive, std::size_t index, const Member& member) {
  zip_stat_t status;
  zip_stat_init(&status);
  if (zip_stat_index(archive, index, ZIP_FL_ENC_RAW, &status) != 0) {
    return std::string("libzip cannot read its entry: ") + zip_strerror(archive);
  }
  const auto differ = [](const char* what, std::uint64_t theirs, std::uint64_t ours) {
    return std::string("libzip gives ") + what + " " + std::to_string(theirs) + ", not " +
           std::to_string(ours);
  };
  // libzip's names end at the first NUL; such a name is reported as odd.
  if (status.name == nullptr || std::strcmp(status.name, member.path.c_str()) != 0) {
    return std::string("libzip names it \"") + (status.name == nullptr ? "" : status.name) + "\"";
  }
  if (status.size != member.size) return differ("size", status.size, member.size);
  if (status.comp_size != member.compressed_size) {
    return differ("compressed size", status.comp_size, member.compressed_size);
  }
  if (status.crc != member.crc32) return differ("CRC", status.crc, member.crc32);
  if (status.comp_method != member.method) {
    return differ("method", status.comp_method, member.method);
  }
  return {};
}

}  // namespace

std::vector<ArchiveProblem> compare_with_libzip(const FileSource& source,
                                                const ArchiveFacts& archive,
                                                std::size_t problems_of_a_kind) {
  const std::vector<Member>& members = archive.members;
  const auto disagree = [](std::string detail) {
    return std::vector<ArchiveProblem>{{ArchiveOddity::readers_disagree, "", 0, std::move(detail)}};
  };
  // libzip trusts this count and makes room for that many.
  if (archive.stated_members != members.size()) {
    return disagree("libzip would read " + std::to_string(archive.stated_members) +
                    " members, not " + std::to_string(members.size()));
  }
  Result<LibzipArchive> opened = LibzipArchive::open(source);
  if (!opened) return disagree(opened.error().what);
  zip_t* libzip = opened->get();
  const zip_int64_t count = zip_get_num_entries(libzip, 0);
  if (count < 0 || static_cast<std::uint64_t>(count) != members.size()) {
    return disagree("libzip sees " + std::to_string(count) + " members, not " +
                    std::to_string(members.size()));
  }
  ProblemList problems(problems_of_a_kind);
  for (std::size_t i = 0; i < members.size(); ++i) {
    std::string detail = difference(libzip, i, members[i]);
    if (detail.empty()) continue;
    problems.add(ArchiveOddity::readers_disagree, members[i].path, members[i].header_offset,
                 std::move(detail));
  }
  return problems.take();
}

}  // namespace wheelcheck
