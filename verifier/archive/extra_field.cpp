#include "verifier/archive/extra_field.h"

#include <algorithm>

#include "verifier/archive/checksum.h"
#include "verifier/archive/format.h"

namespace wheelcheck {

namespace {

/// A Unicode path block counts only while its CRC is that of the header's own name.
bool gives_another_name(Bytes block, Bytes name) {
  const auto version = read_at<std::uint8_t>(block, 0);
  const auto crc = read_at<std::uint32_t>(block, 1);
  if (version != 1 || !crc || *crc != crc32(0, name)) return false;
  const Bytes other = block.subspan(5);
  return !std::equal(other.begin(), other.end(), name.begin(), name.end());
}

}  // namespace

ExtraField parse_extra_field(Bytes extra, Bytes name) {
  ExtraField parsed;
  bool seen_zip64 = false;
  bool seen_path = false;
  std::uint64_t at = 0;
  while (extra.size() - at >= 4) {
    const std::uint16_t id = *read_at<std::uint16_t>(extra, at);
    const std::uint16_t length = *read_at<std::uint16_t>(extra, at + 2);
    const std::optional<Bytes> block = slice(extra, at + 4, length);
    if (!block) {
      parsed.damage = "its block " + std::to_string(id) + " of " + std::to_string(length) +
                      " bytes does not fit";
      return parsed;
    }
    if (id == zip::kExtraZip64 || id == zip::kExtraUnicodePath) {
      bool& seen = id == zip::kExtraZip64 ? seen_zip64 : seen_path;
      if (seen) parsed.damage = "its block " + std::to_string(id) + " occurs more than once";
      seen = true;
      if (id == zip::kExtraZip64 && !parsed.zip64) parsed.zip64 = *block;
      if (id == zip::kExtraUnicodePath && gives_another_name(*block, name)) {
        parsed.names_another = true;
      }
    }
    at += 4U + length;
  }
  if (at != extra.size() && parsed.damage.empty()) {
    parsed.damage = std::to_string(extra.size() - at) + " bytes at its end belong to no block";
  }
  return parsed;
}

bool read_zip64(Bytes block, const Zip64Wants& wants, Zip64Values& values) {
  std::uint64_t at = 0;
  const auto next = [&](bool wanted, std::uint64_t& value) {
    if (!wanted) return true;
    const auto read = read_at<std::uint64_t>(block, at);
    at += 8;
    if (read) value = *read;
    return read.has_value();
  };
  return next(wants.size, values.size) && next(wants.compressed_size, values.compressed_size) &&
         next(wants.header_offset, values.header_offset) &&
         (!wants.disk || read_at<std::uint32_t>(block, at).has_value());
}

}  // namespace wheelcheck
