#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "verifier/core/bytes.h"

// Small Mach-O and PE files for the tests, so that no compiler for those systems is needed.
namespace wheelcheck::sample {

/// A file under construction: numbers are written little end first unless `big`.
class Image {
 public:
  explicit Image(bool big = false) : big_(big) {}
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] const std::string& bytes() const { return bytes_; }

  Image& u8(std::uint64_t value) { return number(value, 1); }
  Image& u16(std::uint64_t value) { return number(value, 2); }
  Image& u32(std::uint64_t value) { return number(value, 4); }
  Image& u64(std::uint64_t value) { return number(value, 8); }
  Image& text(const std::string& value) {
    bytes_ += value;
    return *this;
  }
  /// `value` in a field of `size` bytes, zeros behind it.
  Image& field(const std::string& value, std::size_t size) {
    bytes_ += value;
    bytes_.append(size - value.size(), '\0');
    return *this;
  }
  Image& pad_to(std::size_t size) {
    if (bytes_.size() < size) bytes_.append(size - bytes_.size(), '\0');
    return *this;
  }
  Image& align(std::size_t to) { return pad_to((size() + to - 1) / to * to); }
  void put_u32(std::size_t at, std::uint32_t value) {
    Image patch(big_);
    patch.u32(value);
    bytes_.replace(at, 4, patch.bytes());
  }

 private:
  Image& number(std::uint64_t value, int size) {
    for (int i = 0; i < size; ++i) {
      const int shift = 8 * (big_ ? size - 1 - i : i);
      bytes_ += static_cast<char>(static_cast<unsigned char>(value >> shift));
    }
    return *this;
  }
  std::string bytes_;
  bool big_;
};

struct MachO {
  std::uint32_t cpu = 0x0100000c;  ///< arm64
  std::uint32_t subtype = 0;
  std::uint32_t file_type = 6;  ///< MH_DYLIB
  std::string identity;         ///< LC_ID_DYLIB, unless empty
  std::vector<std::string> libraries, weak_libraries, rpaths;
  std::uint32_t platform = 1, minimum_os = 0x000b0000;  ///< LC_BUILD_VERSION, unless platform is 0
  std::uint32_t version_min_macosx = 0;                 ///< LC_VERSION_MIN_MACOSX, unless 0
};

inline std::string write_mach_o(const MachO& what) {
  Image commands;
  std::uint32_t count = 0;
  const auto with_string = [&](std::uint32_t command, std::size_t fixed, const std::string& text) {
    Image one;
    const std::size_t size = (fixed + text.size() + 1 + 7) / 8 * 8;
    one.u32(command).u32(size).u32(fixed);
    if (fixed == 24) one.u32(2).u32(0x10000).u32(0x10000);
    one.text(text).pad_to(size);
    commands.text(one.bytes());
    ++count;
  };
  // One segment over the whole file; its size is filled in below.
  commands.u32(0x19).u32(72).field("__TEXT", 16).u64(0).u64(0x1000).u64(0).u64(0).u32(5).u32(5);
  commands.u32(0).u32(0);
  ++count;
  if (!what.identity.empty()) with_string(0xd, 24, what.identity);
  if (what.platform != 0) {
    commands.u32(0x32).u32(24).u32(what.platform).u32(what.minimum_os).u32(0x000e0000).u32(0);
    ++count;
  }
  if (what.version_min_macosx != 0) {
    commands.u32(0x24).u32(16).u32(what.version_min_macosx).u32(0x000a0e00);
    ++count;
  }
  for (const auto& library : what.libraries) with_string(0xc, 24, library);
  for (const auto& library : what.weak_libraries) with_string(0x80000018, 24, library);
  for (const auto& rpath : what.rpaths) with_string(0x8000001c, 12, rpath);

  Image file;
  file.u32(0xfeedfacf).u32(what.cpu).u32(what.subtype).u32(what.file_type);
  file.u32(count).u32(commands.size()).u32(0x85).u32(0);
  file.text(commands.bytes()).align(4096);
  file.put_u32(32 + 48, static_cast<std::uint32_t>(file.size()));
  return file.bytes();
}

struct Slice {
  std::uint32_t cpu, subtype;
  std::string bytes;
};

inline std::string write_universal(const std::vector<Slice>& slices, bool wide = false) {
  Image file(true);
  file.u32(wide ? 0xcafebabf : 0xcafebabe).u32(slices.size());
  std::size_t offset = 4096;
  for (const Slice& slice : slices) {
    file.u32(slice.cpu).u32(slice.subtype);
    if (wide) {
      file.u64(offset).u64(slice.bytes.size()).u32(12).u32(0);
    } else {
      file.u32(offset).u32(slice.bytes.size()).u32(12);
    }
    offset += (slice.bytes.size() + 4095) / 4096 * 4096;
  }
  for (const Slice& slice : slices) file.align(4096).text(slice.bytes);
  return file.bytes();
}

struct Pe {
  std::uint16_t machine = 0x8664;
  bool dll = true;
  std::string export_name;
  std::vector<std::string> imports, delay_imports;
  std::string debug_file;  ///< a CodeView record, unless empty
};

/// A PE32+ with one section at address 0x1000 that holds all directories.
inline std::string write_pe(const Pe& what) {
  constexpr std::uint32_t kAddress = 0x1000, kOffset = 0x400;
  Image data;
  const auto here = [&] { return kAddress + static_cast<std::uint32_t>(data.size()); };
  const auto place = [&](const std::string& text) {
    const std::uint32_t at = here();
    data.text(text).u8(0).align(8);
    return at;
  };
  std::uint32_t directory[16][2] = {};

  const std::uint32_t hint_name = here();
  data.u16(0).text("function").u8(0).align(8);
  const auto thunks = [&] {
    const std::uint32_t at = here();
    data.u64(hint_name).u64(0);
    return at;
  };
  struct Import {
    std::uint32_t name, lookup, table;
  };
  const auto prepare = [&](const std::vector<std::string>& names) {
    std::vector<Import> out;
    for (const std::string& name : names) out.push_back({place(name), thunks(), thunks()});
    return out;
  };
  const auto imports = prepare(what.imports);
  const auto delayed = prepare(what.delay_imports);
  if (!imports.empty()) {
    directory[1][0] = here();
    for (const Import& one : imports) {
      data.u32(one.lookup).u32(0).u32(0).u32(one.name).u32(one.table);
    }
    data.pad_to(data.size() + 20);
    directory[1][1] = here() - directory[1][0];
    data.align(8);
  }
  if (!delayed.empty()) {
    directory[13][0] = here();
    for (const Import& one : delayed) {
      data.u32(1).u32(one.name).u32(0).u32(one.table).u32(one.lookup).u32(0).u32(0).u32(0);
    }
    data.pad_to(data.size() + 32);
    directory[13][1] = here() - directory[13][0];
    data.align(8);
  }
  if (!what.export_name.empty()) {
    const std::uint32_t name = place(what.export_name);
    const std::uint32_t symbol = place("exported");
    const std::uint32_t functions = here();
    data.u32(kAddress);
    const std::uint32_t names = here();
    data.u32(symbol);
    const std::uint32_t ordinals = here();
    data.u16(0).align(8);
    directory[0][0] = here();
    directory[0][1] = 40;
    data.u32(0).u32(0).u32(0).u32(name).u32(1).u32(1).u32(1);
    data.u32(functions).u32(names).u32(ordinals);
  }
  if (!what.debug_file.empty()) {
    Image record;
    record.text("RSDS").field("", 16).u32(1).text(what.debug_file).u8(0);
    const std::uint32_t at = here();
    data.text(record.bytes()).align(8);
    directory[6][0] = here();
    directory[6][1] = 28;
    data.u32(0).u32(0).u32(0).u32(2).u32(record.size()).u32(at).u32(at - kAddress + kOffset);
  }
  const auto memory_size = static_cast<std::uint32_t>(data.size());
  data.align(512);

  Image file;
  file.text("MZ").pad_to(0x3c).u32(0x80).pad_to(0x80);
  file.text("PE").u16(0).u16(what.machine).u16(1).u32(0).u32(0).u32(0).u16(240);
  file.u16(what.dll ? 0x2022 : 0x0022);
  file.u16(0x20b).u16(0).u32(0).u32(data.size()).u32(0).u32(0).u32(kAddress);
  file.u64(0x180000000).u32(0x1000).u32(0x200).u16(6).u16(0).u16(0).u16(0).u16(6).u16(0).u32(0);
  file.u32(0x3000).u32(kOffset).u32(0).u16(2).u16(0x160);
  file.u64(0x100000).u64(0x1000).u64(0x100000).u64(0x1000).u32(0).u32(16);
  for (const auto& entry : directory) file.u32(entry[0]).u32(entry[1]);
  file.field(".rdata", 8).u32(memory_size).u32(kAddress).u32(data.size()).u32(kOffset);
  file.u32(0).u32(0).u16(0).u16(0).u32(0x40000040);
  return file.pad_to(kOffset).text(data.bytes()).bytes();
}

}  // namespace wheelcheck::sample
