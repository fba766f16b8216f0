#include "verifier/foreign/recognise.h"

#include <cstdint>

namespace wheelcheck {

namespace {

constexpr std::uint32_t kUniversal = 0xcafebabe;
constexpr std::uint32_t kUniversal64 = 0xcafebabf;

// A class file's version stands where a universal binary has its count of slices: minor in the
// upper half, major (45 for Java 1.1, growing by one a release) in the lower. No universal binary
// has 45 slices, but a hostile one may claim it, so the constant pool that must follow decides:
// its first tag is 1 to 20, where the first slice has a zero byte of its CPU type.
bool looks_like_java(Bytes head) {
  const auto major = read_at<std::uint16_t>(head, 6, Endian::big);
  const auto pool_count = read_at<std::uint16_t>(head, 8, Endian::big);
  const auto first_tag = read_at<std::uint8_t>(head, 10);
  return major && pool_count && first_tag && *major >= 45 && *major < 256 && *pool_count > 1 &&
         *first_tag >= 1 && *first_tag <= 20;
}

ForeignFormat recognise_dos(Bytes head) {
  const auto pe_offset = read_at<std::uint32_t>(head, 0x3c);
  if (!pe_offset) return ForeignFormat::none;
  const auto signature = read_at<std::uint32_t>(head, *pe_offset);
  if (signature && *signature != 0x00004550) return ForeignFormat::none;
  return ForeignFormat::pe;
}

}  // namespace

ForeignFormat recognise_foreign(Bytes head) {
  const auto big = read_at<std::uint32_t>(head, 0, Endian::big);
  if (!big) return ForeignFormat::none;
  switch (*big) {
    case kUniversal:
      return looks_like_java(head) ? ForeignFormat::java_class : ForeignFormat::mach_o_universal;
    case kUniversal64:
      return ForeignFormat::mach_o_universal;
    case 0xfeedface:
    case 0xfeedfacf:
    case 0xcefaedfe:
    case 0xcffaedfe:
      return ForeignFormat::mach_o;
    default:
      break;
  }
  const std::string_view text = as_text(head);
  if (text.starts_with("!<arch>\n") || text.starts_with("!<thin>\n")) {
    return ForeignFormat::ar_archive;
  }
  if (text.starts_with("MZ")) return recognise_dos(head);
  // IMPORT_OBJECT_HEADER: Sig1 0, Sig2 0xffff, Version 0, Machine not 0 (an anonymous object has
  // the same signatures and a version of 1 or more).
  if (*big == 0x0000ffff && read_at<std::uint16_t>(head, 4) == 0 &&
      read_at<std::uint16_t>(head, 6).value_or(0) != 0) {
    return ForeignFormat::coff_import;
  }
  return ForeignFormat::none;
}

}  // namespace wheelcheck
