#include "verifier/elf/testing.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <stdexcept>

namespace wheelcheck::testing {

void Buffer::put(std::uint64_t value, std::size_t width) {
  bytes_.resize(bytes_.size() + width);
  set(bytes_.size() - width, value, width);
}

void Buffer::put(std::string_view text) {
  for (const char c : text) bytes_.push_back(static_cast<std::byte>(c));
}

void Buffer::set(std::size_t at, std::uint64_t value, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) {
    const std::size_t place = endian_ == Endian::little ? i : width - 1 - i;
    bytes_.at(at + place) = static_cast<std::byte>(value >> (8 * i));
  }
}

namespace {

// Strings, each once, as linkers fold them.
class Strings {
 public:
  std::uint64_t add(const std::string& text) {
    const auto found = offsets_.find(text);
    if (found != offsets_.end()) return found->second;
    const std::uint64_t offset = table_.size();
    table_ += text;
    table_ += '\0';
    offsets_[text] = offset;
    return offset;
  }
  [[nodiscard]] const std::string& table() const { return table_; }

 private:
  std::string table_ = std::string(1, '\0');
  std::map<std::string, std::uint64_t> offsets_{{"", 0}};
};

void put_symbol(Buffer& out, const ElfWriter& w, const ElfWriter::Symbol& s, std::uint64_t name) {
  const unsigned info = s.binding << 4 | s.type;
  out.put(name, 4);
  if (w.is_64) {
    out.put(info, 1);
    out.put(s.visibility, 1);
    out.put(s.section, 2);
    out.put(s.value, 8);
    out.put(s.size, 8);
  } else {
    out.put(s.value, 4);
    out.put(s.size, 4);
    out.put(info, 1);
    out.put(s.visibility, 1);
    out.put(s.section, 2);
  }
}

void put_symbols(Buffer& out, const ElfWriter& w, const std::vector<ElfWriter::Symbol>& symbols,
                 Strings& strings) {
  put_symbol(out, w, {"", 0, 0, 0, 0, 0, 0, 0}, 0);
  for (const auto& s : symbols) put_symbol(out, w, s, strings.add(s.name));
}

// One bucket, one chain: enough for readers that only count.
void put_gnu_hash(Buffer& out, const ElfWriter& w) {
  const auto first = static_cast<std::uint64_t>(
      std::count_if(w.symbols.begin(), w.symbols.end(),
                    [](const ElfWriter::Symbol& s) { return s.section == 0; }) +
      1);
  const std::uint64_t hashed = w.symbols.size() + 1 - first;
  out.put(1, 4);
  out.put(hashed == 0 ? 1 : first, 4);  // GNU ld's way to say that nothing is hashed
  out.put(1, 4);
  out.put(6, 4);
  out.put(0, w.word());
  out.put(hashed == 0 ? 0 : first, 4);
  for (std::uint64_t i = 0; i < hashed; ++i) out.put(0x1000 * i | (i + 1 == hashed), 4);
}

void put_needs(Buffer& out, const ElfWriter& w, Strings& strings) {
  for (std::size_t i = 0; i < w.needs.size(); ++i) {
    const auto& need = w.needs[i];
    const bool last = i + 1 == w.needs.size();
    out.put(1, 2);
    out.put(need.versions.size(), 2);
    out.put(strings.add(need.file), 4);
    out.put(16, 4);
    out.put(last ? 0 : 16 + 16 * need.versions.size(), 4);
    for (std::size_t j = 0; j < need.versions.size(); ++j) {
      out.put(0, 4);
      out.put(need.versions[j].flags, 2);
      out.put(need.versions[j].index, 2);
      out.put(strings.add(need.versions[j].name), 4);
      out.put(j + 1 == need.versions.size() ? 0 : 16, 4);
    }
  }
}

void put_definitions(Buffer& out, const ElfWriter& w, Strings& strings) {
  for (std::size_t i = 0; i < w.definitions.size(); ++i) {
    const auto& d = w.definitions[i];
    out.put(1, 2);
    out.put(d.flags, 2);
    out.put(d.index, 2);
    out.put(1, 2);
    out.put(0, 4);
    out.put(20, 4);
    out.put(i + 1 == w.definitions.size() ? 0 : 28, 4);
    out.put(strings.add(d.name), 4);
    out.put(0, 4);
  }
}

struct SectionRow {
  std::string name;
  unsigned type = 0;
  std::string table;
  unsigned link = 0;
  unsigned info = 0;
  unsigned entry_size = 0;
  bool allocated = true;
};

}  // namespace

std::vector<std::byte> ElfWriter::build() {
  at.clear();
  Strings strings;
  for (const auto& t : texts) strings.add(t.text);
  for (const auto& s : symbols) strings.add(s.name);
  for (const auto& n : needs) {
    strings.add(n.file);
    for (const auto& v : n.versions) strings.add(v.name);
  }
  for (const auto& d : definitions) strings.add(d.name);

  Buffer out(endian);
  const std::size_t header_size = is_64 ? 64 : 52;
  const std::size_t segment_size = is_64 ? 56 : 32;
  const std::size_t section_size = is_64 ? 64 : 40;
  const std::size_t segment_count = (code_apart ? 3 : 1) + (has_dynamic ? 1u : 0u) +
                                    (interpreter ? 1u : 0u) + (notes.empty() ? 0u : 1u) +
                                    (stack_flags ? 1u : 0u) + (tls_size ? 1u : 0u);
  at["ehdr"] = {0, header_size};
  at["phdr"] = {header_size, segment_size * segment_count};
  out.zero(header_size + segment_size * segment_count);

  const auto table = [&](const std::string& name, const auto& write) {
    out.align(8);
    const std::size_t start = out.size();
    write();
    at[name] = {start, out.size() - start};
  };
  if (interpreter) {
    table("interp", [&] {
      out.put(*interpreter);
      out.put(0, 1);
    });
  }
  if (!notes.empty()) {
    table("notes", [&] { out.bytes().insert(out.bytes().end(), notes.begin(), notes.end()); });
  }
  const auto hash_and_strings = [&] {
    if (hash) {
      table("hash", [&] {
        out.put(1, 4);
        out.put(symbols.size() + 1, 4);
        out.put(0, 4);
        out.zero(4 * (symbols.size() + 1));
      });
    }
    if (gnu_hash) table("gnu_hash", [&] { put_gnu_hash(out, *this); });
    table("dynstr", [&] { out.put(strings.table()); });
  };
  if (has_dynamic) {
    table("dynsym", [&] { put_symbols(out, *this, symbols, strings); });
    if (!needs.empty() || !definitions.empty()) {
      table("versym", [&] {
        out.put(0, 2);
        for (const auto& s : symbols) out.put(s.version, 2);
      });
    }
    if (!needs.empty()) table("verneed", [&] { put_needs(out, *this, strings); });
    if (!definitions.empty()) table("verdef", [&] { put_definitions(out, *this, strings); });
    if (!strings_last && !strings_late) hash_and_strings();
  }
  const Extent code{out.size(), filler};
  out.zero(filler);
  if (code_apart) out.zero(0x200);  // of no segment, as where linkers align the next one
  const std::size_t behind_code = out.size();
  if (has_dynamic) {
    if (strings_late) hash_and_strings();
    std::size_t entries = texts.size() + numbers.size() + 16;
    out.align(8);
    at["dynamic"] = {out.size(), 0};
    const std::size_t start = out.size();
    out.zero(entries * 2 * word());
    if (strings_last) {
      out.zero(filler);
      hash_and_strings();
    }
    Buffer dynamic(endian);
    const auto entry = [&](std::uint64_t tag, std::uint64_t value) {
      dynamic.put(tag, word());
      dynamic.put(value, word());
    };
    const auto address = [&](std::uint64_t tag, std::string_view name) {
      if (const auto found = at.find(name); found != at.end())
        entry(tag, kBase + found->second.offset);
    };
    for (const auto& t : texts) entry(t.tag, strings.add(t.text));
    for (const auto& n : numbers) entry(n.tag, n.value);
    address(5, "dynstr");
    entry(10, at["dynstr"].size);
    address(6, "dynsym");
    entry(11, is_64 ? 24 : 16);
    address(4, "hash");
    address(0x6ffffef5, "gnu_hash");
    address(0x6ffffff0, "versym");
    address(0x6ffffffe, "verneed");
    if (!needs.empty()) entry(0x6fffffff, needs.size());
    address(0x6ffffffc, "verdef");
    if (!definitions.empty()) entry(0x6ffffffd, definitions.size());
    if (null_tag) entry(0, 0);
    at["dynamic"].size = dynamic.size();
    std::copy(dynamic.bytes().begin(), dynamic.bytes().end(),
              out.bytes().begin() + static_cast<std::ptrdiff_t>(start));
  }

  const std::size_t loaded = out.size();
  // Section headers last, as linkers and patchers put them.
  std::vector<SectionRow> rows;
  std::uint64_t section_offset = 0;
  if (sections) {
    Strings local_strings;
    if (!locals.empty()) {
      table("symtab", [&] { put_symbols(out, *this, locals, local_strings); });
      table("strtab", [&] { out.put(local_strings.table()); });
    }
    const unsigned symbol_size = is_64 ? 24 : 16;
    rows.push_back({"", 0, "", 0, 0, 0, false});
    const auto row = [&](SectionRow r) {
      if (at.find(r.table) != at.end()) rows.push_back(std::move(r));
    };
    row({".dynstr", 3, "dynstr"});
    row({".dynsym", 11, "dynsym", 1, 1, symbol_size});
    row({".gnu.version", 0x6fffffff, "versym", 2, 0, 2});
    row({".gnu.version_r", 0x6ffffffe, "verneed", 1});
    row({".gnu.version_d", 0x6ffffffd, "verdef", 1});
    row({".gnu.hash", 0x6ffffff6, "gnu_hash", 2});
    row({".hash", 5, "hash", 2, 0, 4});
    row({".note.gnu.build-id", 7, "notes"});
    row({".interp", 1, "interp"});
    row({".dynamic", 6, "dynamic", 1, 0, static_cast<unsigned>(2 * word())});
    row({".strtab", 3, "strtab", 0, 0, 0, false});
    row({".symtab", 2, "symtab", static_cast<unsigned>(rows.size() - 1),
         static_cast<unsigned>(locals.size() + 1), symbol_size, false});
    Strings names;
    for (const auto& r : rows) names.add(r.name);
    names.add(".shstrtab");
    table("shstrtab", [&] { out.put(names.table()); });
    rows.push_back({".shstrtab", 3, "shstrtab", 0, 0, 0, false});
    out.align(8);
    section_offset = out.size();
    at["shdr"] = {section_offset, rows.size() * section_size};
    for (const auto& r : rows) {
      const Extent e = r.table.empty() ? Extent{} : at[r.table];
      const bool first = r.table.empty();
      out.put(names.add(r.name), 4);
      out.put(r.type, 4);
      out.put(r.allocated ? 2 : 0, word());
      out.put(r.allocated ? kBase + e.offset : 0, word());
      out.put(e.offset, word());
      out.put(first && extended_numbering ? rows.size() : e.size, word());
      out.put(first && extended_numbering ? rows.size() - 1 : r.link, 4);
      out.put(first && extended_numbering ? segment_count : r.info, 4);
      out.put(8, word());
      out.put(r.entry_size, word());
    }
  }

  Buffer head(endian);
  head.put(
      "\x7f"
      "ELF");
  head.put(is_64 ? 2 : 1, 1);
  head.put(endian == Endian::little ? 1 : 2, 1);
  head.put(1, 1);
  head.zero(9);
  head.put(type, 2);
  head.put(machine, 2);
  head.put(1, 4);
  head.put(0, word());
  head.put(header_size, word());
  head.put(section_offset, word());
  head.put(flags, 4);
  head.put(header_size, 2);
  head.put(segment_size, 2);
  head.put(extended_numbering ? 0xffff : segment_count, 2);
  head.put(sections ? section_size : 0, 2);
  head.put(extended_numbering ? 0 : rows.size(), 2);
  head.put(extended_numbering ? 0xffff : (rows.empty() ? 0 : rows.size() - 1), 2);
  const auto segment = [&](std::uint32_t kind, std::uint32_t p_flags, const Extent& e,
                           std::uint64_t memory, std::uint64_t align) {
    head.put(kind, 4);
    if (is_64) head.put(p_flags, 4);
    head.put(e.offset, word());
    head.put(kBase + e.offset, word());
    head.put(kBase + e.offset, word());
    head.put(e.size, word());
    head.put(memory, word());
    if (!is_64) head.put(p_flags, 4);
    head.put(align, word());
  };
  const auto load = [&](std::uint32_t p_flags, const Extent& e) {
    segment(1, p_flags, e, e.size, 0x10000);
  };
  if (code_apart) {
    load(4, {0, code.offset});
    load(5, code);
    load(6, {behind_code, loaded - behind_code});
  } else {
    load(5, {0, out.size()});
  }
  if (has_dynamic) segment(2, 6, at["dynamic"], at["dynamic"].size, 8);
  if (interpreter) segment(3, 4, at["interp"], at["interp"].size, 1);
  if (!notes.empty()) segment(4, 4, at["notes"], at["notes"].size, 4);
  if (stack_flags) segment(0x6474e551, *stack_flags, {}, 0, 16);
  if (tls_size) segment(7, 4, {}, *tls_size, 8);
  std::copy(head.bytes().begin(), head.bytes().end(), out.bytes().begin());
  return std::move(out.bytes());
}

void ElfWriter::lie(std::vector<std::byte>& file, std::string_view table, std::uint64_t offset,
                    std::uint64_t value, std::size_t width) const {
  const auto found = at.find(table);
  if (found == at.end()) throw std::logic_error("no table " + std::string(table));
  Buffer buffer(endian);
  buffer.put(value, width);
  const auto start = static_cast<std::size_t>(found->second.offset + offset);
  for (std::size_t i = 0; i < width; ++i) file.at(start + i) = buffer.bytes()[i];
}

void ElfWriter::lie_tag(std::vector<std::byte>& file, std::uint64_t tag,
                        std::uint64_t value) const {
  const Extent dynamic = at.find("dynamic")->second;
  for (std::uint64_t i = 0; i < dynamic.size; i += 2 * word()) {
    const auto place = static_cast<std::size_t>(dynamic.offset + i);
    const std::uint64_t read = is_64 ? read_at<std::uint64_t>(file, place, endian).value_or(0)
                                     : read_at<std::uint32_t>(file, place, endian).value_or(0);
    if (read == tag) return lie(file, "dynamic", i + word(), value, word());
  }
  throw std::logic_error("no such dynamic tag");
}

std::vector<std::byte> ElfWriter::note(std::string_view owner, std::uint32_t note_type,
                                       const std::vector<std::byte>& description,
                                       std::size_t align) const {
  Buffer out(endian);
  out.put(owner.size() + 1, 4);
  out.put(description.size(), 4);
  out.put(note_type, 4);
  out.put(owner);
  out.put(0, 1);
  out.align(align);
  out.bytes().insert(out.bytes().end(), description.begin(), description.end());
  out.align(align);
  return std::move(out.bytes());
}

}  // namespace wheelcheck::testing
