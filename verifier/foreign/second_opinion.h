#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "verifier/core/bytes.h"
#include "verifier/foreign/wire.h"

namespace wheelcheck {

// What LIEF says of an ELF file, in numbers as they stand in the file, so that nothing of our own
// reader's way of seeing things slips in before the comparison.

struct LiefSegment {
  std::uint32_t type = 0, flags = 0;
  std::uint64_t offset = 0, address = 0, file_size = 0, memory_size = 0, align = 0;
};
struct LiefSection {
  std::string name;
  std::uint32_t type = 0;
  std::uint64_t flags = 0, offset = 0, size = 0, address = 0;
};
struct LiefSymbol {
  static constexpr std::uint32_t kNoVersion = 0x10000;
  std::string name;
  std::uint8_t binding = 0, type = 0, other = 0;
  std::uint16_t section = 0;
  std::uint32_t version = kNoVersion;  ///< the raw entry of .gnu.version
  std::uint64_t value = 0, size = 0;
};
struct LiefVersion {
  std::string name;
  std::string file;  ///< verneed only
  std::uint16_t index = 0, flags = 0;
};
struct LiefDynamic {
  std::uint64_t tag = 0, value = 0;
  std::string text;  ///< of the tags whose value is a string
};

struct LiefElf {
  std::uint8_t elf_class = 0, data = 0, os_abi = 0;
  std::uint16_t type = 0, machine = 0;
  std::uint32_t flags = 0;
  std::vector<LiefSegment> segments;
  std::vector<LiefSection> sections;
  std::vector<LiefDynamic> dynamic;  ///< in file order, with the DT_NULL that ends it
  std::string interpreter;
  std::string build_id;                     ///< lower-case hex
  std::vector<LiefSymbol> dynamic_symbols;  ///< with the null symbol
  std::vector<LiefSymbol> static_symbols;   ///< .symtab
  std::vector<LiefVersion> needed_versions, defined_versions;
};

namespace wire {

/// Visits the parts of a value in the order in which they cross the pipe; the same function
/// describes them to the writing and the reading side.
template <class Io>
void exchange(Io& io, LiefSegment& v) {
  io.each(v.type, v.flags, v.offset, v.address, v.file_size, v.memory_size, v.align);
}
template <class Io>
void exchange(Io& io, LiefSection& v) {
  io.each(v.name, v.type, v.flags, v.offset, v.size, v.address);
}
template <class Io>
void exchange(Io& io, LiefSymbol& v) {
  io.each(v.name, v.binding, v.type, v.other, v.section, v.version, v.value, v.size);
}
template <class Io>
void exchange(Io& io, LiefVersion& v) {
  io.each(v.name, v.file, v.index, v.flags);
}
template <class Io>
void exchange(Io& io, LiefDynamic& v) {
  io.each(v.tag, v.value, v.text);
}
template <class Io>
void exchange(Io& io, LiefElf& v) {
  io.each(v.elf_class, v.data, v.os_abi, v.type, v.machine, v.flags, v.segments, v.sections,
          v.dynamic, v.interpreter, v.build_id, v.dynamic_symbols, v.static_symbols,
          v.needed_versions, v.defined_versions);
}

class Output {
 public:
  explicit Output(Writer& writer) : writer_(writer) {}
  template <class... Parts>
  void each(Parts&... parts) {
    (part(parts), ...);
  }

 private:
  template <std::unsigned_integral T>
  void part(T& value) {
    writer_.number(value);
  }
  void part(std::string& value) { writer_.text(value); }
  template <class T>
  void part(std::vector<T>& items) {
    writer_.number(items.size());
    for (T& item : items) exchange(*this, item);
  }
  Writer& writer_;
};

class Input {
 public:
  explicit Input(Reader& reader) : reader_(reader) {}
  template <class... Parts>
  void each(Parts&... parts) {
    (part(parts), ...);
  }

 private:
  template <std::unsigned_integral T>
  void part(T& value) {
    value = reader_.number_as<T>();
  }
  void part(std::string& value) { value = reader_.text(); }
  template <class T>
  void part(std::vector<T>& items) {
    // One by one, so that a claimed length costs no memory that the answer does not back.
    for (std::uint64_t left = reader_.number(); left > 0 && reader_.ok(); --left) {
      exchange(*this, items.emplace_back());
    }
  }
  Reader& reader_;
};

}  // namespace wire

/// A worker's answer, or nothing when it is not one.
[[nodiscard]] inline std::optional<LiefElf> decode_lief_elf(Bytes answer) {
  wire::Reader reader(answer);
  wire::Input input(reader);
  LiefElf elf;
  exchange(input, elf);
  if (!reader.at_end()) return std::nullopt;
  return elf;
}

}  // namespace wheelcheck
