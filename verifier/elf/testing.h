#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/core/bytes.h"

namespace wheelcheck::testing {

/// Bytes written one field after the other, in either byte order.
class Buffer {
 public:
  explicit Buffer(Endian endian) : endian_(endian) {}
  void put(std::uint64_t value, std::size_t width);
  void put(std::string_view text);
  void zero(std::size_t count) { bytes_.resize(bytes_.size() + count); }
  void align(std::size_t to) { bytes_.resize((bytes_.size() + to - 1) / to * to); }
  void set(std::size_t at, std::uint64_t value, std::size_t width);
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  [[nodiscard]] std::vector<std::byte>& bytes() { return bytes_; }

 private:
  Endian endian_;
  std::vector<std::byte> bytes_;
};

/// Builds small ELF files of any class and byte order for tests. Everything is plain data; after
/// build() every field can be overwritten with a lie.
struct ElfWriter {
  struct Symbol {
    std::string name;
    unsigned binding = 1;
    unsigned type = 2;
    unsigned visibility = 0;
    unsigned section = 1;  ///< 0: undefined
    std::uint16_t version = 1;
    std::uint64_t value = 0x1000;
    std::uint64_t size = 8;
  };
  struct Version {
    std::string name;
    std::uint16_t index = 0;
    std::uint16_t flags = 0;
  };
  struct Need {
    std::string file;
    std::vector<Version> versions;
  };
  struct Text {  ///< a dynamic tag whose value is a string
    std::uint64_t tag = 0;
    std::string text;
  };
  struct Number {
    std::uint64_t tag = 0;
    std::uint64_t value = 0;
  };
  struct Extent {
    std::uint64_t offset = 0;
    std::uint64_t size = 0;
  };

  bool is_64 = true;
  Endian endian = Endian::little;
  std::uint16_t type = 3;
  std::uint16_t machine = 62;
  std::uint32_t flags = 0;

  std::vector<Text> texts;      ///< NEEDED, SONAME, RPATH, ... in order
  std::vector<Number> numbers;  ///< further dynamic tags
  std::vector<Symbol> symbols;  ///< for GNU hash: undefined ones first
  std::vector<Need> needs;
  std::vector<Version> definitions;
  std::vector<Symbol> locals;  ///< .symtab, with sections only
  std::optional<std::string> interpreter;
  std::vector<std::byte> notes;  ///< of PT_NOTE; see note()
  std::optional<std::uint32_t> stack_flags = 6;
  std::optional<std::uint64_t> tls_size;
  bool has_dynamic = true;
  bool hash = false;
  bool gnu_hash = true;
  bool sections = true;
  bool extended_numbering = false;  ///< counts in section header 0
  std::size_t filler = 0;           ///< bytes between the tables and PT_DYNAMIC
  bool code_apart = false;          ///< a segment before the filler, it, a gap, and one behind it
  bool strings_late = false;        ///< patched: these tables between the filler and PT_DYNAMIC
  bool strings_last = false;        ///< patched: hash and string tables at the end of the file
  bool null_tag = true;

  /// The file. Tables are then found in `at`: "ehdr", "phdr", "dynamic", "dynsym", "dynstr",
  /// "hash", "gnu_hash", "versym", "verneed", "verdef", "notes", "interp", "shstrtab", "symtab",
  /// "strtab", "shdr".
  std::vector<std::byte> build();
  std::map<std::string, Extent, std::less<>> at;

  /// Overwrites `width` bytes at `offset` within a table of the built file.
  void lie(std::vector<std::byte>& file, std::string_view table, std::uint64_t offset,
           std::uint64_t value, std::size_t width) const;
  /// Overwrites the value of the first dynamic entry with this tag.
  void lie_tag(std::vector<std::byte>& file, std::uint64_t tag, std::uint64_t value) const;
  /// A note for `notes`.
  [[nodiscard]] std::vector<std::byte> note(std::string_view owner, std::uint32_t note_type,
                                            const std::vector<std::byte>& description,
                                            std::size_t align = 4) const;
  [[nodiscard]] std::size_t word() const { return is_64 ? 8 : 4; }

  static constexpr std::uint64_t kBase = 0x10000;  ///< address of file offset 0
};

}  // namespace wheelcheck::testing
