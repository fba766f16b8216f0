#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/archive/format.h"

/// A zip writer for tests, which can lie about every field. Not part of the program.
namespace wheelcheck::testing {

/// What a header says instead of the truth.
struct HeaderLies {
  std::optional<std::string> name{};
  std::optional<std::uint16_t> method{};
  std::optional<std::uint16_t> flags{};
  std::optional<std::uint32_t> crc{};
  std::optional<std::uint32_t> size{};
  std::optional<std::uint32_t> compressed_size{};
  std::optional<std::uint32_t> signature{};
  std::string extra{};  ///< bytes of the extra field, after a zip64 block where there is one
};

struct ZipEntry {
  std::string name{};
  std::string data{};
  std::uint16_t method = zip::kDeflated;
  std::optional<std::string> compressed{};  ///< used as it is, instead of compressing `data`
  HeaderLies local{};
  HeaderLies central{};
  std::optional<std::uint32_t> header_offset{};  ///< what the central header says
  std::uint16_t made_by = 0x0314;                ///< Unix
  std::uint32_t mode = 0100644;
  std::string comment{};
  std::string before{};                     ///< bytes put before the local header
  bool zip64 = false;                       ///< sizes in a zip64 block, in both headers
  std::optional<std::string> descriptor{};  ///< bytes put after the data; sets flag bit 3
};

struct ZipArchive {
  std::vector<ZipEntry> entries{};
  std::string prefix{};              ///< put before everything
  bool offsets_count_prefix = true;  ///< or not, as in a self-extracting archive
  std::string before_directory{};
  std::string after_directory{};
  std::string comment{};
  std::string suffix{};  ///< after the end record
  std::optional<std::uint16_t> stated_entries{};
  std::optional<std::uint16_t> stated_entries_here{};
  std::optional<std::uint32_t> stated_directory_size{};
  std::optional<std::uint32_t> stated_directory_offset{};
  std::optional<std::uint16_t> stated_comment_size{};
  std::uint16_t disk = 0;
  bool zip64_end = false;                                  ///< with a zip64 end record and locator
  bool saturate_end = true;                                ///< the end record refers to it
  std::optional<std::uint64_t> zip64_entries{};            ///< what the zip64 record says
  std::optional<std::uint64_t> stated_zip64_end_offset{};  ///< what its locator says

  [[nodiscard]] std::string build() const;
};

/// A raw deflate stream.
[[nodiscard]] std::string deflate(std::string_view data);

/// "PK\7\8", CRC and sizes, as they should be for `data`.
[[nodiscard]] std::string data_descriptor(std::string_view data, bool signature, bool wide);

/// The low `size` bytes of `value`, little endian.
[[nodiscard]] std::string little_endian(std::uint64_t value, std::size_t size);

/// One block of an extra field.
[[nodiscard]] std::string extra_block(std::uint16_t id, std::string_view payload);

}  // namespace wheelcheck::testing
