#include "verifier/loader/worlds/stamp.h"

#include <cstring>
#include <utility>

#include "verifier/elf/testing.h"
#include "verifier/loader/worlds/symbol_stamp.h"

namespace wheelcheck::worlds {

namespace {

constexpr std::uint64_t kNeeded = 1;
constexpr std::uint64_t kStrings = 5;
constexpr std::uint64_t kStringsSize = 10;
constexpr std::uint64_t kSoname = 14;
constexpr std::uint64_t kRpath = 15;
constexpr std::uint64_t kRunpath = 29;
constexpr std::uint64_t kFlags = 30;
constexpr std::uint64_t kAuxiliary = 0x7ffffffd;
constexpr std::uint64_t kFilter = 0x7fffffff;
constexpr std::uint64_t kFlags1 = 0x6ffffffb;
constexpr std::uint64_t kIgnored = 0x60000123;  // of the system's own range, known to no loader

void put_segment(testing::Buffer& out, std::uint32_t type, std::uint64_t offset, std::uint64_t size,
                 std::uint64_t align, std::uint32_t flags = 6) {
  out.put(type, 4);
  out.put(flags, 4);  // read, write: the loader writes into the dynamic section
  for (int i = 0; i < 3; ++i) out.put(offset, 8);
  out.put(size, 8);
  out.put(size, 8);
  out.put(align, 8);
}

template <class T>
std::uint64_t word_at(const std::string& bytes, std::uint64_t at) {
  return read_at<T>(as_bytes(bytes), at).value_or(0);
}

}  // namespace

std::string stamp_library(const WorldFile& file, const std::string& root) {
  std::string strings(1, '\0');
  std::vector<std::pair<std::uint64_t, std::uint64_t>> tags;
  const auto text = [&](std::uint64_t tag, const std::string& value) {
    tags.emplace_back(tag, strings.size());
    strings += at_root(value, root);
    strings += '\0';
  };
  for (const std::string& name : file.needed) text(kNeeded, name);
  if (!file.filter.empty()) text(kFilter, file.filter);
  if (!file.auxiliary.empty()) text(kAuxiliary, file.auxiliary);
  if (file.soname) text(kSoname, *file.soname);
  if (file.rpath) text(kRpath, *file.rpath);
  if (file.runpath) text(kRunpath, *file.runpath);
  constexpr std::uint64_t kFlagSymbolic = 2;
  if (file.symbolic) tags.emplace_back(kFlags, kFlagSymbolic);
  if (file.flags_1 != 0) tags.emplace_back(kFlags1, file.flags_1);

  constexpr std::uint64_t kSegments = 4;
  constexpr std::uint64_t kTablesAt = 64 + kSegments * 56;
  const SymbolTables symbols = stamp_symbols(file, kTablesAt, strings);
  tags.insert(tags.end(), symbols.tags.begin(), symbols.tags.end());
  const std::uint64_t strings_at = kTablesAt + symbols.bytes.size();
  const std::uint64_t dynamic_at = (strings_at + strings.size() + 7) / 8 * 8;
  tags.emplace_back(kStrings, strings_at);
  tags.emplace_back(kStringsSize, strings.size());
  tags.emplace_back(0, 0);
  const std::uint64_t dynamic_size = 16 * tags.size();
  const std::uint64_t end = dynamic_at + dynamic_size;

  testing::Buffer out(Endian::little);
  out.put("\177ELF");
  out.put(0x010102, 3);  // 64 bit, little endian, version 1
  out.put(file.os_abi, 1);
  out.put(0, 8);
  out.put(3, 2);  // a shared object
  out.put(file.machine, 2);
  out.put(1, 4);
  out.put(0, 8);   // entry
  out.put(64, 8);  // program headers
  out.put(0, 8);   // no sections
  out.put(0, 4);
  out.put(64, 2);
  out.put(56, 2);
  out.put(kSegments, 2);
  out.put(64, 2);
  out.put(0, 2);
  out.put(0, 2);
  put_segment(out, 1, 0, end, 0x1000, symbols.has_code ? 7 : 6);          // PT_LOAD
  put_segment(out, 2, dynamic_at, dynamic_size, 8);                       // PT_DYNAMIC
  put_segment(out, 0x6474e551, 0, 0, 16, file.executable_stack ? 7 : 6);  // PT_GNU_STACK
  const bool has_storage = symbols.storage_size != 0;                     // PT_TLS
  put_segment(out, has_storage ? 7 : 0, has_storage ? symbols.storage_at : 0, symbols.storage_size,
              8, 4);
  out.put(symbols.bytes);
  out.put(strings);
  out.align(8);
  for (const auto& [tag, value] : tags) {
    out.put(tag, 8);
    out.put(value, 8);
  }
  return std::string(as_text(out.bytes()));
}

std::string stamp_foreign(const WorldFile& file, const std::string& root) {
  testing::ElfWriter writer;
  if (file.kind == FileKind::other_class) {
    writer.is_64 = false;
    writer.machine = 3;
  } else {
    writer.endian = Endian::big;
  }
  for (const std::string& name : file.needed)
    writer.texts.push_back({kNeeded, at_root(name, root)});
  return std::string(as_text(writer.build()));
}

Result<std::string> stamp_template(std::string compiled, const WorldFile& file,
                                   const std::string& root) {
  const std::size_t path_at = compiled.find(std::string(kPlaceholder, '%'));
  const auto& path = file.rpath ? file.rpath : file.runpath;
  const std::string value = path ? at_root(*path, root) : std::string();
  if (path_at == std::string::npos || value.size() >= kPlaceholder) {
    return Error{file.path, "has no room for its search path", std::nullopt};
  }
  std::memcpy(compiled.data() + path_at, value.c_str(), value.size() + 1);
  const std::uint64_t segments = word_at<std::uint64_t>(compiled, 32);
  for (std::uint64_t i = 0; i < word_at<std::uint16_t>(compiled, 56); ++i) {
    const std::size_t at = segments + i * 56;
    if (word_at<std::uint32_t>(compiled, at) != 2) continue;  // PT_DYNAMIC
    std::size_t entry = word_at<std::uint64_t>(compiled, at + 8);
    for (; entry + 16 <= compiled.size() && word_at<std::uint64_t>(compiled, entry) != 0;
         entry += 16) {
      if (word_at<std::uint64_t>(compiled, entry) != kRunpath) continue;
      const std::uint64_t tag = file.rpath ? kRpath : file.runpath ? kRunpath : kIgnored;
      for (std::size_t b = 0; b < 8; ++b) compiled[entry + b] = static_cast<char>(tag >> (8 * b));
      return compiled;
    }
  }
  return Error{file.path, "has no RUNPATH to replace", std::nullopt};
}

Result<std::string> with_interpreter(std::string compiled, const std::string& loader) {
  const std::size_t at = compiled.find(std::string(kPlaceholder, '&'));
  if (at == std::string::npos || loader.size() >= kPlaceholder) {
    return Error{loader, "does not fit into the host", std::nullopt};
  }
  std::memset(compiled.data() + at, 0, kPlaceholder);
  std::memcpy(compiled.data() + at, loader.data(), loader.size());
  return compiled;
}

}  // namespace wheelcheck::worlds
