#include <algorithm>
#include <array>
#include <charconv>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "verifier/elf/layout.h"
#include "verifier/report/escape.h"
#include "verifier/report/facts_document.h"

namespace wheelcheck {
namespace {

struct Name {
  std::uint32_t value;
  const char* name;
};

template <std::size_t N>
std::string name_in(const std::array<Name, N>& names, std::uint32_t value) {
  for (const Name& name : names) {
    if (name.value == value) return name.name;
  }
  return std::to_string(value);
}

constexpr std::array kMachines = {
    Name{3, "i386"},        Name{8, "mips"},     Name{20, "ppc"},    Name{21, "ppc64"},
    Name{22, "s390"},       Name{40, "arm"},     Name{62, "x86_64"}, Name{183, "aarch64"},
    Name{190, "cuda"},      Name{224, "amdgpu"}, Name{243, "riscv"}, Name{247, "bpf"},
    Name{258, "loongarch"},
};
constexpr std::array kTypes = {Name{0, "none"}, Name{1, "relocatable"}, Name{2, "executable"},
                               Name{3, "shared"}, Name{4, "core"}};
constexpr std::array kBindings = {Name{0, "local"}, Name{1, "global"}, Name{2, "weak"},
                                  Name{3, "unique"}, Name{4, "other"}};
constexpr std::array kVisibilities = {Name{0, "default"}, Name{1, "internal"}, Name{2, "hidden"},
                                      Name{3, "protected"}};
constexpr std::array kSymbolTypes = {Name{0, "none"},    Name{1, "object"}, Name{2, "function"},
                                     Name{3, "section"}, Name{4, "file"},   Name{5, "common"},
                                     Name{6, "tls"},     Name{7, "ifunc"},  Name{8, "other"}};
constexpr std::array kSymtabStates = {Name{0, "absent"}, Name{1, "not read"},
                                      Name{2, "over budget"}, Name{3, "read"}};

template <std::size_t N, class Enum>
std::string name_of(const std::array<Name, N>& names, Enum value) {
  return name_in(names, static_cast<std::uint32_t>(value));
}

std::string hex(std::uint64_t value) {
  std::array<char, 16> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), value, 16);
  return "0x" + std::string(digits.data(), end.ptr);
}

/// "GLIBC_2.17" as "GLIBC" and {2, 17}; the whole as a family where no number follows.
std::pair<std::string, std::vector<unsigned>> split_version(const std::string& version) {
  const auto underscore = version.find_last_of('_');
  if (underscore == std::string::npos) return {version, {}};
  std::vector<unsigned> numbers;
  const char* at = version.data() + underscore + 1;
  const char* const end = version.data() + version.size();
  while (at < end) {
    unsigned number = 0;
    const auto parsed = std::from_chars(at, end, number);
    if (parsed.ec != std::errc() || (parsed.ptr != end && *parsed.ptr != '.')) return {version, {}};
    numbers.push_back(number);
    at = parsed.ptr + (parsed.ptr != end ? 1 : 0);
  }
  return {version.substr(0, underscore), numbers};
}

/// For each library the highest version of each family that is needed from it.
Document highest_versions(const ElfFacts& elf) {
  using Highest = std::map<std::string, std::pair<std::vector<unsigned>, std::string>>;
  std::vector<std::pair<std::string, Highest>> files;  // in file order
  for (const ElfVersion& version : elf.versions) {
    if (version.defined) continue;
    auto file = std::find_if(files.begin(), files.end(),
                             [&version](const auto& entry) { return entry.first == version.file; });
    if (file == files.end()) file = files.insert(files.end(), {version.file, {}});
    auto [family, numbers] = split_version(version.name);
    auto& best = file->second[family];
    if (best.second.empty() || numbers > best.first) best = {std::move(numbers), version.name};
  }
  Document document = Document::object();
  for (const auto& [file, families] : files) {
    Document names = Document::array();
    for (const auto& [family, highest] : families) names.push_back(valid_utf8(highest.second));
    document[valid_utf8(file)] = std::move(names);
  }
  return document;
}

Document texts(const std::vector<std::string>& lines) {
  Document array = Document::array();
  for (const std::string& line : lines) array.push_back(valid_utf8(line));
  return array;
}

void add_texts(Document& document, const char* key, const std::vector<std::string>& lines) {
  if (!lines.empty()) document[key] = texts(lines);
}

Document symbol_document(const ElfFacts& elf, const ElfSymbol& symbol, std::string_view name) {
  Document document{{"name", valid_utf8(name)}};
  if (const ElfVersion* version = elf.version_of(symbol)) {
    document["version"] = valid_utf8(version->name);
    if (symbol.defined && symbol.version_hidden) document["version_is_default"] = false;
  }
  document["defined"] = symbol.defined;
  document["binding"] = name_of(kBindings, symbol.binding);
  document["type"] = name_of(kSymbolTypes, symbol.type);
  document["visibility"] = name_of(kVisibilities, symbol.visibility);
  if (symbol.defined) {
    document["value"] = hex(symbol.value);
    document["size"] = symbol.size;
  }
  return document;
}

void add_depth(Document& document, const ElfFacts& elf) {
  add_texts(document, "auxiliary", elf.auxiliary);
  add_texts(document, "filter", elf.filter);
  if (elf.interpreter) document["interpreter"] = valid_utf8(*elf.interpreter);
  if (!elf.build_id.empty()) document["build_id"] = valid_utf8(elf.build_id);
  document["elf_flags"] = hex(elf.flags);
  document["os_abi"] = elf.os_abi;
  document["dt_flags"] = hex(elf.dt_flags);
  document["dt_flags_1"] = hex(elf.dt_flags_1);
  document["relr"] = elf.has_relr;
  document["textrel"] = elf.has_textrel;
  if (elf.stack_flags) {
    document["stack"] =
        (*elf.stack_flags & elf::kExecutable) != 0 ? "executable" : "not executable";
  } else {
    document["stack"] = "not stated";
  }
  if (elf.tls_size) document["tls_bytes"] = *elf.tls_size;
  if (elf.x86_isa_needed) document["x86_isa_needed"] = hex(*elf.x86_isa_needed);
  if (elf.x86_features) document["x86_features"] = hex(*elf.x86_features);
  if (elf.aarch64_features) document["aarch64_features"] = hex(*elf.aarch64_features);
  add_texts(document, "dlopen_notes", elf.dlopen_notes);
  std::vector<std::string> defined;
  for (const ElfVersion& version : elf.versions) {
    if (version.defined && !version.base) defined.push_back(version.name);
  }
  add_texts(document, "versions_defined", defined);
  std::vector<std::string> lines;
  for (const ElfSegment& segment : elf.segments) {
    lines.push_back("type " + hex(segment.type) + " flags " + hex(segment.flags) + " offset " +
                    hex(segment.offset) + " address " + hex(segment.address) + " in file " +
                    hex(segment.file_size) + " in memory " + hex(segment.memory_size) + " align " +
                    hex(segment.align));
  }
  add_texts(document, "segments", lines);
  lines.clear();
  for (const ElfSection& section : elf.sections) {
    lines.push_back((section.name.empty() ? "(no name)" : section.name) + " type " +
                    hex(section.type) + " flags " + hex(section.flags) + " offset " +
                    hex(section.offset) + " size " + hex(section.size));
  }
  add_texts(document, "sections", lines);
}

}  // namespace

Document elf_document(const ElfFacts& elf, Depth depth) {
  Document document{
      {"type", name_in(kTypes, elf.type)},
      {"machine", name_in(kMachines, elf.machine)},
      {"bits", elf.is_64 ? 64 : 32},
      {"byte_order", elf.endian == Endian::little ? "little" : "big"},
  };
  if (elf.soname) document["soname"] = valid_utf8(*elf.soname);
  if (!elf.has_dynamic) document["dynamic"] = false;
  add_texts(document, "needed", elf.needed);
  if (elf.rpath) document["rpath"] = valid_utf8(*elf.rpath);
  if (elf.runpath) document["runpath"] = valid_utf8(*elf.runpath);
  Document versions = highest_versions(elf);
  if (!versions.empty()) document["highest_versions_needed"] = std::move(versions);
  std::uint64_t defined = 0;
  for (const ElfSymbol& symbol : elf.dynamic_symbols) defined += symbol.defined ? 1 : 0;
  document["symbols"] = {
      {"defined", defined},
      {"undefined", elf.dynamic_symbols.size() - defined},
      {"symtab", name_of(kSymtabStates, elf.symtab)},
  };
  if (elf.symtab == SymtabState::read) document["symbols"]["local"] = elf.local_symbols.size();
  if (!elf.symtab_note.empty()) document["symbols"]["note"] = valid_utf8(elf.symtab_note);
  if (depth != Depth::brief) add_depth(document, elf);
  if (depth == Depth::with_symbols) {
    document["dynamic_symbols"] = Document::array();
    for (const ElfSymbol& symbol : elf.dynamic_symbols) {
      document["dynamic_symbols"].push_back(symbol_document(elf, symbol, elf.name(symbol)));
    }
    document["local_symbols"] = Document::array();
    for (const ElfSymbol& symbol : elf.local_symbols) {
      document["local_symbols"].push_back(symbol_document(elf, symbol, elf.local_name(symbol)));
    }
  }
  return document;
}

}  // namespace wheelcheck
