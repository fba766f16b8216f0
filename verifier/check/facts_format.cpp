// One list of fields for both ways: what is written is what is read.
#include "verifier/check/facts_format.h"

#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "verifier/scan/dist_info.h"

namespace wheelcheck {

namespace {

/// Changes with every change of the list of fields below.
constexpr std::uint32_t kFormat = 2;

class Writer {
 public:
  template <class T>
  void number(const T& value) {
    static_assert(std::is_integral_v<T>);
    const auto wide = static_cast<std::uint64_t>(value);
    for (std::size_t i = 0; i < sizeof(T); ++i) out_ += static_cast<char>(wide >> (8 * i) & 0xff);
  }
  void flag(const bool& value) { out_ += value ? '\1' : '\0'; }
  template <class T>
  void choice(const T& value, T /*last*/) {
    out_ += static_cast<char>(value);
  }
  void text(const std::string& value) {
    number(static_cast<std::uint64_t>(value.size()));
    out_ += value;
  }
  template <class T, class Each>
  void list(const std::vector<T>& values, Each each) {
    number(static_cast<std::uint64_t>(values.size()));
    for (const T& value : values) each(value);
  }
  template <class T, class Held>
  void maybe(const std::optional<T>& value, Held held) {
    flag(value.has_value());
    if (value) held(*value);
  }
  template <class T, class Held>
  void maybe(const std::unique_ptr<T>& value, Held held) {
    flag(value != nullptr);
    if (value) held(std::as_const(*value));
  }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  std::string out_;
};

/// Every read is checked; after the first that fails all others leave their values as they are.
class Reader {
 public:
  explicit Reader(Bytes bytes) : rest_(as_text(bytes)) {}

  template <class T>
  void number(T& value) {
    static_assert(std::is_integral_v<T>);
    if (!has(sizeof(T))) return;
    std::uint64_t wide = 0;
    for (std::size_t i = 0; i < sizeof(T); ++i) {
      wide |= static_cast<std::uint64_t>(static_cast<unsigned char>(rest_[i])) << (8 * i);
    }
    value = static_cast<T>(wide);
    rest_.remove_prefix(sizeof(T));
  }
  void flag(bool& value) {
    std::uint8_t byte = 0;
    number(byte);
    if (byte > 1) failed_ = true;
    if (!failed_) value = byte == 1;
  }
  template <class T>
  void choice(T& value, T last) {
    std::uint8_t byte = 0;
    number(byte);
    if (byte > static_cast<std::uint8_t>(last)) failed_ = true;
    if (!failed_) value = static_cast<T>(byte);
  }
  void text(std::string& value) {
    std::uint64_t size = 0;
    number(size);
    if (!has(size)) return;
    value = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(static_cast<std::size_t>(size));
  }
  template <class T, class Each>
  void list(std::vector<T>& values, Each each) {
    std::uint64_t count = 0;
    number(count);
    if (!has(count)) return;  // each takes a byte at least; room is made as they come
    for (std::uint64_t i = 0; i < count && !failed_; ++i) each(values.emplace_back());
  }
  template <class T, class Held>
  void maybe(std::optional<T>& value, Held held) {
    bool there = false;
    flag(there);
    if (there) held(value.emplace());
  }
  template <class T, class Held>
  void maybe(std::unique_ptr<T>& value, Held held) {
    bool there = false;
    flag(there);
    if (!there) return;
    value = std::make_unique<T>();
    held(*value);
  }
  [[nodiscard]] bool at_end() const { return !failed_ && rest_.empty(); }

 private:
  bool has(std::uint64_t size) {
    failed_ = failed_ || size > rest_.size();
    return !failed_;
  }

  std::string_view rest_;
  bool failed_ = false;
};

// Facts that get a field more do not compile here: it is to be added to the list below.
[[maybe_unused]] void names_every_field(const ElfSymbol& symbol, const ElfVersion& version,
                                        const ElfSection& section, const ElfSegment& segment) {
  [[maybe_unused]] const auto& [s1, s2, s3, s4, s5, s6, s7, s8, s9, s10, s11, s12, s13] = symbol;
  [[maybe_unused]] const auto& [v1, v2, v3, v4, v5, v6] = version;
  [[maybe_unused]] const auto& [t1, t2, t3, t4, t5, t6] = section;
  [[maybe_unused]] const auto& [g1, g2, g3, g4, g5, g6, g7] = segment;
}
[[maybe_unused]] void names_every_field(const ElfFacts& elf, const Member& member) {
  [[maybe_unused]] const auto& [e1, e2, e3, e4, e5, e6, e7, e8, e9, e10, e11, e12, e13, e14, e15,
                                e16, e17, e18, e19, e20, e21, e22, e23, e24, e25, e26, e27, e28,
                                e29, e30, e31, e32, e33, e34, e35, e36, e37] = elf;
  [[maybe_unused]] const auto& [m1, m2, m3, m4, m5, m6, m7, m8, m9, m10, m11] = member;
}

// `X` is the facts' type, const where they are written.

template <class Archive, class X>
void transfer_texts(Archive& archive, X& texts) {
  archive.list(texts, [&](auto& one) { archive.text(one); });
}

template <class Archive, class X>
void transfer_symbol(Archive& archive, X& symbol) {
  archive.number(symbol.name);
  archive.number(symbol.version);
  archive.choice(symbol.binding, SymbolBinding::other);
  archive.choice(symbol.visibility, SymbolVisibility::protected_);
  archive.choice(symbol.type, SymbolType::other);
  archive.flag(symbol.defined);
  archive.flag(symbol.version_hidden);
  archive.flag(symbol.referenced);
  archive.flag(symbol.absolute);
  archive.flag(symbol.only_called);
  archive.flag(symbol.copied);
  archive.number(symbol.value);
  archive.number(symbol.size);
}

template <class Archive, class X>
void transfer_tables(Archive& archive, X& elf) {
  archive.list(elf.segments, [&](auto& one) {
    archive.number(one.type);
    archive.number(one.flags);
    archive.number(one.offset);
    archive.number(one.address);
    archive.number(one.file_size);
    archive.number(one.memory_size);
    archive.number(one.align);
  });
  archive.list(elf.sections, [&](auto& one) {
    archive.text(one.name);
    archive.number(one.type);
    archive.number(one.flags);
    archive.number(one.offset);
    archive.number(one.size);
    archive.number(one.address);
  });
  archive.text(elf.names);
  archive.list(elf.dynamic_symbols, [&](auto& one) { transfer_symbol(archive, one); });
  archive.flag(elf.references_known);
  archive.list(elf.versions, [&](auto& one) {
    archive.text(one.name);
    archive.text(one.file);
    archive.number(one.index);
    archive.flag(one.weak);
    archive.flag(one.base);
    archive.flag(one.defined);
  });
  archive.list(elf.version_positions, [&](auto& one) { archive.number(one); });
  archive.choice(elf.symtab, SymtabState::read);
  archive.text(elf.symtab_note);
  archive.list(elf.local_symbols, [&](auto& one) { transfer_symbol(archive, one); });
  archive.text(elf.local_names);
}

template <class Archive, class X>
void transfer_elf(Archive& archive, X& elf) {
  const auto text = [&](auto& one) { archive.text(one); };
  const auto number = [&](auto& one) { archive.number(one); };
  archive.flag(elf.is_64);
  archive.choice(elf.endian, Endian::big);
  archive.number(elf.type);
  archive.number(elf.machine);
  archive.number(elf.os_abi);
  archive.number(elf.flags);
  archive.flag(elf.has_dynamic);
  archive.maybe(elf.soname, text);
  transfer_texts(archive, elf.needed);
  archive.maybe(elf.rpath, text);
  archive.maybe(elf.runpath, text);
  transfer_texts(archive, elf.auxiliary);
  transfer_texts(archive, elf.filter);
  archive.number(elf.dt_flags);
  archive.number(elf.dt_flags_1);
  archive.flag(elf.has_relr);
  archive.flag(elf.has_textrel);
  transfer_tables(archive, elf);
  archive.maybe(elf.interpreter, text);
  archive.maybe(elf.stack_flags, number);
  archive.maybe(elf.tls_size, number);
  archive.text(elf.build_id);
  transfer_texts(archive, elf.dlopen_notes);
  archive.maybe(elf.x86_isa_needed, number);
  archive.maybe(elf.x86_features, number);
  archive.maybe(elf.aarch64_features, number);
  transfer_texts(archive, elf.observations);
}

template <class Archive, class X>
void transfer_member(Archive& archive, X& member) {
  archive.text(member.entry.path);
  archive.number(member.entry.size);
  archive.number(member.entry.compressed_size);
  archive.number(member.entry.crc32);
  archive.number(member.entry.method);
  archive.number(member.entry.flags);
  archive.number(member.entry.version_made_by);
  archive.number(member.entry.external_attributes);
  archive.number(member.entry.header_offset);
  archive.number(member.entry.data_offset);
  archive.choice(member.kind, ContentKind::other);
  archive.number(member.inflated_size);
  archive.flag(member.inflated_whole);
  archive.number(member.crc32);
  archive.text(member.sha256);
  transfer_texts(archive, member.sibling_names);
  archive.text(member.symlink_target);
  archive.maybe(member.elf, [&](auto& elf) { transfer_elf(archive, elf); });
}

/// Members whose text is kept: installers read them, and so does what lays packages down.
bool is_wanted(const WheelFacts& wheel, std::string_view path) {
  return path == wheel.dist_info + "/METADATA" || path == wheel.dist_info + "/WHEEL";
}

template <class Archive, class X>
void transfer_text(Archive& archive, X& member, bool wanted) {
  if constexpr (std::is_const_v<X>) {
    const bool kept = member.text_kept && wanted;
    archive.flag(kept);
    archive.text(kept ? member.text : std::string());
  } else {
    archive.flag(member.text_kept);
    archive.text(member.text);
  }
}

template <class Archive, class X>
void transfer_wheel(Archive& archive, X& wheel) {
  archive.number(wheel.stats.archive_bytes);
  archive.number(wheel.stats.inflated_bytes);
  archive.number(wheel.stats.elf_files);
  archive.text(wheel.dist_info);
  transfer_texts(archive, wheel.dist_info_directories);
  archive.text(wheel.data_directory);
  archive.list(wheel.members, [&](auto& member) {
    transfer_member(archive, member);
    transfer_text(archive, member, is_wanted(wheel, member.entry.path));
  });
}

}  // namespace

std::string encode_facts(const WheelFacts& wheel) {
  Writer writer;
  writer.number(kFormat);
  transfer_wheel(writer, wheel);
  return writer.take();
}

std::optional<WheelFacts> decode_facts(Bytes bytes, const std::string& path) {
  Reader reader(bytes);
  std::uint32_t format = 0;
  reader.number(format);
  if (format != kFormat) return std::nullopt;
  WheelFacts wheel;
  transfer_wheel(reader, wheel);
  if (!reader.at_end()) return std::nullopt;
  wheel.path = path;
  Result<WheelFileName> name = parse_wheel_filename(path);
  if (name) {
    wheel.file_name = *std::move(name);
  } else {
    wheel.file_name_error = std::move(name).error();
  }
  for (std::size_t i = 0; i < wheel.members.size(); ++i) {
    wheel.by_path.emplace(wheel.members[i].entry.path, i);
    wheel.archive.members.push_back(wheel.members[i].entry);
  }
  wheel.stats.members = static_cast<std::uint32_t>(wheel.members.size());
  read_dist_info(wheel);
  return wheel;
}

}  // namespace wheelcheck
