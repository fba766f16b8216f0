#include "verifier/archive/testing.h"

#include <cstdlib>
#include <isa-l.h>

#include "verifier/archive/checksum.h"

namespace wheelcheck::testing {

std::string little_endian(std::uint64_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) {
    bytes += static_cast<char>(value & 0xFFU);
    value >>= 8;
  }
  return bytes;
}

std::string extra_block(std::uint16_t id, std::string_view payload) {
  return little_endian(id, 2) + little_endian(payload.size(), 2) + std::string(payload);
}

std::string deflate(std::string_view data) {
  isal_zstream stream;
  isal_deflate_init(&stream);
  std::string input(data);
  std::string output(data.size() + data.size() / 8 + 4096, '\0');
  stream.next_in = reinterpret_cast<unsigned char*>(input.data());
  stream.avail_in = static_cast<std::uint32_t>(input.size());
  stream.next_out = reinterpret_cast<unsigned char*>(output.data());
  stream.avail_out = static_cast<std::uint32_t>(output.size());
  stream.end_of_stream = 1;
  stream.flush = NO_FLUSH;
  // A test that cannot make its input must not go on.
  if (isal_deflate(&stream) != COMP_OK || stream.avail_in != 0) std::abort();
  output.resize(output.size() - stream.avail_out);
  return output;
}

std::string data_descriptor(std::string_view data, bool signature, bool wide) {
  const std::size_t width = wide ? 8 : 4;
  return (signature ? little_endian(0x08074b50, 4) : "") +
         little_endian(crc32(0, as_bytes(data)), 4) + little_endian(deflate(data).size(), width) +
         little_endian(data.size(), width);
}

namespace {

/// An entry with everything worked out that both headers need.
struct Prepared {
  const ZipEntry* entry;
  std::string compressed;
  std::uint32_t crc;
  std::uint64_t offset;
};

/// The fields that both headers have in common, from the version needed to the extra size.
std::string common_fields(const Prepared& prepared, const HeaderLies& lies, const std::string& name,
                          const std::string& extra) {
  const ZipEntry& entry = *prepared.entry;
  const std::uint16_t flags = entry.descriptor ? zip::kFlagDescriptor : 0;
  const auto size = static_cast<std::uint32_t>(entry.zip64 ? 0xFFFFFFFF : entry.data.size());
  const auto compressed =
      static_cast<std::uint32_t>(entry.zip64 ? 0xFFFFFFFF : prepared.compressed.size());
  return little_endian(20, 2) + little_endian(lies.flags.value_or(flags), 2) +
         little_endian(lies.method.value_or(entry.method), 2) + little_endian(0x5A210000, 4) +
         little_endian(lies.crc.value_or(prepared.crc), 4) +
         little_endian(lies.compressed_size.value_or(compressed), 4) +
         little_endian(lies.size.value_or(size), 4) + little_endian(name.size(), 2) +
         little_endian(extra.size(), 2);
}

std::string extra_of(const Prepared& prepared, const HeaderLies& lies) {
  if (!prepared.entry->zip64) return lies.extra;
  return extra_block(zip::kExtraZip64, little_endian(prepared.entry->data.size(), 8) +
                                           little_endian(prepared.compressed.size(), 8)) +
         lies.extra;
}

std::string local_header(const Prepared& prepared) {
  const HeaderLies& lies = prepared.entry->local;
  const std::string name = lies.name.value_or(prepared.entry->name);
  const std::string extra = extra_of(prepared, lies);
  return little_endian(lies.signature.value_or(0x04034b50), 4) +
         common_fields(prepared, lies, name, extra) + name + extra;
}

std::string central_header(const Prepared& prepared) {
  const ZipEntry& entry = *prepared.entry;
  const HeaderLies& lies = entry.central;
  const std::string name = lies.name.value_or(entry.name);
  const std::string extra = extra_of(prepared, lies);
  return little_endian(lies.signature.value_or(0x02014b50), 4) + little_endian(entry.made_by, 2) +
         common_fields(prepared, lies, name, extra) + little_endian(entry.comment.size(), 2) +
         little_endian(0, 2) + little_endian(0, 2) +
         little_endian(static_cast<std::uint64_t>(entry.mode) << 16, 4) +
         little_endian(entry.header_offset.value_or(static_cast<std::uint32_t>(prepared.offset)),
                       4) +
         name + extra + entry.comment;
}

}  // namespace

std::string ZipArchive::build() const {
  std::string file = prefix;
  const std::uint64_t base = offsets_count_prefix ? 0 : prefix.size();
  std::vector<Prepared> all;
  for (const ZipEntry& entry : entries) {
    file += entry.before;
    std::string compressed = entry.compressed                 ? *entry.compressed
                             : entry.method == zip::kDeflated ? deflate(entry.data)
                                                              : entry.data;
    all.push_back(
        {&entry, std::move(compressed), crc32(0, as_bytes(entry.data)), file.size() - base});
    file += local_header(all.back()) + all.back().compressed;
    if (entry.descriptor) file += *entry.descriptor;
  }
  file += before_directory;
  const std::uint64_t directory_at = file.size();
  for (const Prepared& prepared : all) file += central_header(prepared);
  const std::uint64_t directory_size = file.size() - directory_at;
  file += after_directory;
  if (zip64_end) {
    const std::uint64_t at = file.size() - base;
    const std::uint64_t count = zip64_entries.value_or(all.size());
    file += little_endian(0x06064b50, 4) + little_endian(44, 8) + little_endian(45, 2) +
            little_endian(45, 2) + little_endian(0, 4) + little_endian(0, 4) +
            little_endian(count, 8) + little_endian(count, 8) + little_endian(directory_size, 8) +
            little_endian(directory_at - base, 8);
    file += little_endian(0x07064b50, 4) + little_endian(0, 4) +
            little_endian(stated_zip64_end_offset.value_or(at), 8) + little_endian(1, 4);
  }
  const bool saturate = zip64_end && saturate_end;
  const auto count = static_cast<std::uint16_t>(saturate ? 0xFFFF : all.size());
  const auto size = static_cast<std::uint32_t>(saturate ? 0xFFFFFFFF : directory_size);
  const auto offset = static_cast<std::uint32_t>(saturate ? 0xFFFFFFFF : directory_at - base);
  file +=
      little_endian(0x06054b50, 4) + little_endian(disk, 2) + little_endian(disk, 2) +
      little_endian(stated_entries_here.value_or(stated_entries.value_or(count)), 2) +
      little_endian(stated_entries.value_or(count), 2) +
      little_endian(stated_directory_size.value_or(size), 4) +
      little_endian(stated_directory_offset.value_or(offset), 4) +
      little_endian(stated_comment_size.value_or(static_cast<std::uint16_t>(comment.size())), 2) +
      comment + suffix;
  return file;
}

}  // namespace wheelcheck::testing
