#include "verifier/check/elf_file.h"

#include <array>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "verifier/cuda/collector.h"

namespace wheelcheck {
namespace {

constexpr std::size_t kChunk = 1u << 20;  // bytes read at once

/// Feeds the whole file to `sink`, once. False: it could not be read to its end.
template <class Sink>
bool stream(std::ifstream& file, std::vector<char>& buffer, const Sink& sink) {
  file.clear();
  file.seekg(0);
  while (file.read(buffer.data(), static_cast<std::streamsize>(buffer.size())) ||
         file.gcount() > 0) {
    sink(as_bytes(std::string_view(buffer.data(), static_cast<std::size_t>(file.gcount()))));
  }
  return file.eof();
}

}  // namespace

std::optional<MemberFacts> read_elf_file(const std::string& path, const ElfBudget& budget,
                                         bool want_local_symbols, bool device_code) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 4> magic{};
  if (!file.read(magic.data(), magic.size())) return std::nullopt;
  if (std::string_view(magic.data(), magic.size()) !=
      "\x7f"
      "ELF") {
    return std::nullopt;
  }
  MemberFacts member;
  member.entry.path = path;
  member.kind = ContentKind::elf;
  std::error_code code;
  member.entry.size = std::filesystem::file_size(path, code);
  if (code) {
    member.unread = Error{path, code.message(), {}};
    return member;
  }
  member.inflated_size = member.entry.size;

  ElfCollector collector(path, member.entry.size, budget, want_local_symbols);
  FatbinCollector fatbins(path);
  std::vector<char> buffer(kChunk);
  bool first_pass = true;
  do {
    const bool whole = stream(file, buffer, [&](Bytes chunk) {
      collector.consume(chunk);
      if (first_pass && device_code) fatbins.consume(chunk);
    });
    if (!whole) {
      member.unread = Error{path, "cannot be read to its end", {}};
      return member;
    }
    first_pass = false;
  } while (collector.end_pass() == ElfCollector::Next::again);

  Result<ElfFacts> elf = collector.take();
  if (!elf) {
    member.unread = elf.error();
    return member;
  }
  member.elf = std::make_unique<ElfFacts>(std::move(elf).value());
  if (device_code) {
    const ElfSection* section = member.elf->section(".nv_fatbin");
    member.fatbin = std::make_unique<FatbinFacts>(
        fatbins.finish(section ? section->offset : 0, section ? section->size : 0));
  }
  return member;
}

}  // namespace wheelcheck
