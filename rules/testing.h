#pragma once

// Wheels for tests, put together by hand: facts without files.
//
//   const WheelFacts wheel = testing::WheelBuilder("pkg-1.0-cp312-cp312-manylinux_2_28_x86_64.whl")
//       .requiring("torch>=2.11")
//       .elf("pkg/_C.cpython-312-x86_64-linux-gnu.so",
//            testing::Elf().needs("libtorch.so").runpath("$ORIGIN/../torch/lib"))
//       .text("pkg/__init__.py", "import torch\n")
//       .build();

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "verifier/wheel/facts.h"

namespace wheelcheck::testing {

/// One ELF file; a shared library for x86_64 unless told otherwise.
class Elf {
 public:
  Elf() {
    facts_.type = 3;
    facts_.machine = 62;
    facts_.has_dynamic = true;
    facts_.stack_flags = 6;
    facts_.references_known = true;
    facts_.names.push_back('\0');
  }
  Elf& needs(std::string name) {
    facts_.needed.push_back(std::move(name));
    return *this;
  }
  Elf& soname(std::string name) {
    facts_.soname = std::move(name);
    return *this;
  }
  Elf& rpath(std::string path) {
    facts_.rpath = std::move(path);
    return *this;
  }
  Elf& runpath(std::string path) {
    facts_.runpath = std::move(path);
    return *this;
  }
  /// An entry of .note.dlopen, as JSON.
  Elf& opens(std::string note) {
    facts_.dlopen_notes.push_back(std::move(note));
    return *this;
  }
  Elf& program() {
    facts_.type = 2;
    facts_.interpreter = "/lib64/ld-linux-x86-64.so.2";
    return *this;
  }
  Elf& machine(std::uint16_t machine, bool is_64 = true) {
    facts_.machine = machine;
    facts_.is_64 = is_64;
    return *this;
  }
  Elf& flags_1(std::uint64_t flags) {
    facts_.dt_flags_1 |= flags;
    return *this;
  }
  /// A dynamic symbol that the file defines.
  Elf& defines(std::string_view name, SymbolBinding binding = SymbolBinding::global,
               SymbolType type = SymbolType::function) {
    add(facts_.names, facts_.dynamic_symbols, name, binding, type, true);
    return *this;
  }
  /// An undefined dynamic symbol.
  Elf& imports(std::string_view name, SymbolBinding binding = SymbolBinding::global) {
    add(facts_.names, facts_.dynamic_symbols, name, binding, SymbolType::none, false);
    return *this;
  }
  /// A version that the file needs: version_of() of the symbols imported last finds it.
  Elf& needs_version(std::string version, std::string file, bool weak = false) {
    ElfVersion record;
    record.name = std::move(version);
    record.file = std::move(file);
    record.index = static_cast<std::uint16_t>(facts_.versions.size() + 2);
    record.weak = weak;
    facts_.version_positions.resize(std::size_t{record.index} + 1, 0);
    facts_.version_positions[record.index] = static_cast<std::uint32_t>(facts_.versions.size() + 1);
    facts_.versions.push_back(std::move(record));
    return *this;
  }
  /// A version that the file defines.
  Elf& defines_version(std::string version) {
    needs_version(std::move(version), "");
    facts_.versions.back().defined = true;
    return *this;
  }
  /// Gives the symbol added last the version added last. `hidden`: not the default one.
  Elf& versioned(bool hidden = false) {
    facts_.dynamic_symbols.back().version = facts_.versions.back().index;
    facts_.dynamic_symbols.back().version_hidden = hidden;
    return *this;
  }
  Elf& visible_as(SymbolVisibility visibility) {
    facts_.dynamic_symbols.back().visibility = visibility;
    return *this;
  }
  /// No relocation names the symbol added last.
  Elf& unreferenced() {
    facts_.dynamic_symbols.back().referenced = false;
    return *this;
  }
  /// A local definition in `.symtab`.
  Elf& local(std::string_view name, SymbolType type = SymbolType::function) {
    facts_.symtab = SymtabState::read;
    add(facts_.local_names, facts_.local_symbols, name, SymbolBinding::local, type, true);
    return *this;
  }
  Elf& section(std::string name) {
    ElfSection section;
    section.name = std::move(name);
    facts_.sections.push_back(std::move(section));
    return *this;
  }
  /// Anything that has no word of its own here.
  [[nodiscard]] ElfFacts& facts() { return facts_; }
  [[nodiscard]] const ElfFacts& facts() const { return facts_; }

 private:
  static void add(std::string& names, std::vector<ElfSymbol>& symbols, std::string_view name,
                  SymbolBinding binding, SymbolType type, bool defined) {
    if (names.empty()) names.push_back('\0');
    ElfSymbol symbol;
    symbol.name = static_cast<std::uint32_t>(names.size());
    symbol.version = 1;
    symbol.binding = binding;
    symbol.visibility = SymbolVisibility::standard;
    symbol.type = type;
    symbol.defined = defined;
    symbol.value = defined ? 0x1000 : 0;
    symbols.push_back(symbol);
    names.append(name);
    names.push_back('\0');
  }

  ElfFacts facts_;
};

/// A wheel, from its file name on. Members appear in the order in which they are added.
class WheelBuilder {
 public:
  explicit WheelBuilder(const std::string& file_name) {
    facts_.path = file_name;
    auto parsed = parse_wheel_filename(file_name);
    if (parsed) {
      facts_.file_name = *std::move(parsed);
    } else {
      facts_.file_name_error = parsed.error();
    }
    Metadata metadata;
    metadata.metadata_version = "2.1";
    if (facts_.file_name) {
      metadata.name = facts_.file_name->distribution;
      metadata.version_text = facts_.file_name->version_text;
      metadata.version = facts_.file_name->version;
      const std::string stem = metadata.name + "-" + metadata.version_text;
      facts_.dist_info = stem + ".dist-info";
      facts_.dist_info_directories = {facts_.dist_info};
      facts_.data_directory = stem + ".data";
      WheelFile wheel;
      wheel.wheel_version = "1.0";
      wheel.generator = "test";
      wheel.root_is_purelib = false;
      wheel.tags = facts_.file_name->tags();
      for (const Tag& tag : wheel.tags) wheel.tag_lines.push_back(tag.str());
      facts_.wheel = std::move(wheel);
    }
    facts_.metadata = std::move(metadata);
  }

  /// A Requires-Dist line. One that does not parse is a defect of the test.
  WheelBuilder& requiring(const std::string& line) {
    auto requirement = Requirement::parse(line);
    if (!requirement) {
      facts_.metadata->problems.push_back({0, requirement.error().what});
      return *this;
    }
    facts_.metadata->headers.emplace_back("Requires-Dist", line);
    facts_.metadata->requires_dist.push_back(*std::move(requirement));
    return *this;
  }
  /// Root-Is-Purelib: true. Before the first member.
  WheelBuilder& pure() {
    facts_.wheel->root_is_purelib = true;
    return *this;
  }
  WheelBuilder& extra(std::string name) {
    facts_.metadata->provides_extra.push_back(std::move(name));
    return *this;
  }
  WheelBuilder& elf(const std::string& path, Elf elf) {
    MemberFacts& member = add(path, ContentKind::elf);
    member.elf = std::make_unique<ElfFacts>(std::move(elf.facts()));
    return *this;
  }
  WheelBuilder& text(const std::string& path, std::string content) {
    MemberFacts& member = add(path, ContentKind::text);
    member.entry.size = member.inflated_size = content.size();
    member.text = std::move(content);
    member.text_kept = true;
    return *this;
  }
  WheelBuilder& file(const std::string& path, ContentKind kind = ContentKind::other) {
    add(path, kind);
    return *this;
  }
  /// An ELF file that could not be read.
  WheelBuilder& unread(const std::string& path, std::string why) {
    add(path, ContentKind::elf).unread = Error{path, std::move(why), 0};
    return *this;
  }
  /// A path of a build machine, seen in the member added last.
  WheelBuilder& build_path(std::string path, std::uint32_t line = 0) {
    BuildPathFacts& facts = facts_.members.back().build_paths;
    ++facts.count;
    facts.examples.push_back({std::move(path), 0, line});
    return *this;
  }
  [[nodiscard]] MemberFacts& last() { return facts_.members.back(); }
  [[nodiscard]] WheelFacts& facts() { return facts_; }

  [[nodiscard]] WheelFacts build() { return std::move(facts_); }

 private:
  MemberFacts& add(const std::string& path, ContentKind kind) {
    MemberFacts member;
    member.entry.path = path;
    member.kind = kind;
    member.inflated_whole = true;
    const bool pure = facts_.wheel && facts_.wheel->root_is_purelib.value_or(false);
    member.install =
        install_path(path, facts_.data_directory, pure ? Scheme::purelib : Scheme::platlib);
    facts_.by_path.try_emplace(path, facts_.members.size());
    facts_.members.push_back(std::move(member));
    return facts_.members.back();
  }

  WheelFacts facts_;
};

}  // namespace wheelcheck::testing
