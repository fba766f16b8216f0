#include "verifier/loader/worlds/symbol_stamp.h"

#include <algorithm>

#include "verifier/elf/testing.h"

namespace wheelcheck::worlds {

namespace {

constexpr std::uint64_t kHash = 4;
constexpr std::uint64_t kSymbols = 6;
constexpr std::uint64_t kRelocations = 7;
constexpr std::uint64_t kRelocationsSize = 8;
constexpr std::uint64_t kRelocationSize = 9;
constexpr std::uint64_t kSymbolSize = 11;
constexpr std::uint64_t kCallsSize = 2;
constexpr std::uint64_t kCallsTable = 3;
constexpr std::uint64_t kCallsKind = 20;
constexpr std::uint64_t kCalls = 23;
constexpr std::uint64_t kVersionIndexes = 0x6ffffff0;
constexpr std::uint64_t kVersionDefinitions = 0x6ffffffc;
constexpr std::uint64_t kVersionDefinitionCount = 0x6ffffffd;
constexpr std::uint64_t kVersionNeeds = 0x6ffffffe;
constexpr std::uint64_t kVersionNeedCount = 0x6fffffff;
constexpr std::uint16_t kHidden = 0x8000;
constexpr std::uint16_t kAbsoluteSection = 0xfff1;

// lea rax, [rip]; ret
constexpr unsigned char kChooser[] = {0x48, 0x8d, 0x05, 0, 0, 0, 0, 0xc3};

std::uint32_t hash_of(const std::string& name) {
  std::uint32_t hash = 0;
  for (const char c : name) {
    hash = (hash << 4) + static_cast<unsigned char>(c);
    hash = (hash ^ ((hash & 0xf0000000U) >> 24)) & 0x0fffffffU;
  }
  return hash;
}

std::uint8_t number_of(SymbolBinding binding) {
  switch (binding) {
    case SymbolBinding::local:
      return 0;
    case SymbolBinding::weak:
      return 2;
    case SymbolBinding::gnu_unique:
      return 10;
    case SymbolBinding::global:
    case SymbolBinding::other:
      break;
  }
  return 1;
}

std::uint8_t number_of(SymbolType type) {
  switch (type) {
    case SymbolType::object:
      return 1;
    case SymbolType::function:
      return 2;
    case SymbolType::section:
      return 3;
    case SymbolType::common:
      return 5;
    case SymbolType::tls:
      return 6;
    case SymbolType::ifunc:
      return 10;
    case SymbolType::none:
    case SymbolType::file:
    case SymbolType::other:
      break;
  }
  return 0;
}

/// The version needs of one file, with the indexes that symbols have them by.
struct NeedsOf {
  std::string file;
  std::vector<std::pair<WorldVersionNeed, std::uint16_t>> versions;
};

class Stamp {
 public:
  Stamp(const WorldFile& file, std::uint64_t address, std::string& strings)
      : file_(file), address_(address), strings_(strings), out_(Endian::little) {}

  SymbolTables run() {
    collect_needs();
    place_hash();
    const std::uint64_t size = 24 * (file_.symbols.size() + 1);
    tables_.tags.emplace_back(kSymbols, here());
    // Definitions follow right behind the symbols.
    definitions_at_ = here() + size;
    storage_at_ = definitions_at_ + kDefinitionSize * file_.symbols.size();
    place_symbols();
    place_definitions();
    place_uses();
    if (!file_.versions.empty() || !needs_.empty()) place_versions();
    tables_.bytes = std::string(as_text(out_.bytes()));
    return std::move(tables_);
  }

 private:
  [[nodiscard]] std::uint64_t here() {
    out_.align(8);
    return address_ + out_.bytes().size();
  }
  std::uint64_t text(const std::string& value) {
    const std::uint64_t at = strings_.size();
    strings_ += value;
    strings_ += '\0';
    return at;
  }

  /// Its version is another file's.
  static bool is_needed(const WorldSymbol& symbol) {
    return !symbol.version.empty() && (!symbol.defined || symbol.copied);
  }
  void collect_needs() {
    std::vector<WorldVersionNeed> all = file_.version_needs;
    for (const WorldSymbol& symbol : file_.symbols) {
      if (is_needed(symbol)) all.push_back({symbol.file, symbol.version});
    }
    auto index = static_cast<std::uint16_t>(file_.versions.size() + 2);
    for (const WorldVersionNeed& need : all) {
      if (index_of(need.file, need.version) != 0) continue;
      auto found = std::find_if(needs_.begin(), needs_.end(),
                                [&](const NeedsOf& one) { return one.file == need.file; });
      if (found == needs_.end()) found = needs_.insert(needs_.end(), {need.file, {}});
      found->versions.emplace_back(need, index++);
    }
  }
  [[nodiscard]] std::uint16_t index_of(const std::string& file, const std::string& version) const {
    for (const NeedsOf& needs : needs_) {
      if (needs.file != file) continue;
      for (const auto& [need, index] : needs.versions) {
        if (need.version == version) return index;
      }
    }
    return 0;
  }
  [[nodiscard]] std::uint16_t version_index(const WorldSymbol& symbol) const {
    const std::uint16_t hidden = symbol.version_hidden ? kHidden : 0;
    std::uint16_t index = 1;
    if (!symbol.version.empty() && !is_needed(symbol)) {
      const auto& defined = file_.versions;
      const auto found = std::find(defined.begin(), defined.end(), symbol.version);
      index = static_cast<std::uint16_t>(found - defined.begin() + 2);
    } else if (!symbol.version.empty()) {
      index = index_of(symbol.file, symbol.version);
    }
    return index | hidden;
  }

  void place_hash() {
    tables_.tags.emplace_back(kHash, here());
    const std::size_t count = file_.symbols.size() + 1;
    // One chain of all that is defined, in the order of the file.
    std::vector<std::uint32_t> chain(count, 0);
    std::uint32_t next = 0;
    for (std::size_t i = count - 1; i > 0; --i) {
      if (!file_.symbols[i - 1].defined) continue;
      chain[i] = next;
      next = static_cast<std::uint32_t>(i);
    }
    out_.put(1, 4);
    out_.put(count, 4);
    out_.put(next, 4);
    for (const std::uint32_t link : chain) out_.put(link, 4);
  }

  void place_symbols() {
    tables_.tags.emplace_back(kSymbolSize, 24);
    for (int i = 0; i < 3; ++i) out_.put(0, 8);
    for (std::size_t i = 0; i < file_.symbols.size(); ++i) {
      const WorldSymbol& symbol = file_.symbols[i];
      out_.put(text(symbol.name), 4);
      out_.put(static_cast<std::uint64_t>(number_of(symbol.binding)) << 4 | number_of(symbol.type),
               1);
      out_.put(static_cast<std::uint64_t>(symbol.visibility), 1);
      out_.put(!symbol.defined ? 0 : symbol.absolute ? kAbsoluteSection : 1, 2);
      const bool thread = symbol.type == SymbolType::tls;
      const std::uint64_t value = thread ? 8 * i : definitions_at_ + kDefinitionSize * i;
      out_.put(symbol.defined && !symbol.zero ? value : 0, 8);
      out_.put(symbol.defined ? 8 : 0, 8);
      if (thread && symbol.defined) tables_.storage_size = 8 * file_.symbols.size();
    }
  }

  void place_definitions() {
    for (const WorldSymbol& symbol : file_.symbols) {
      const bool chooses = symbol.type == SymbolType::ifunc && symbol.defined;
      tables_.has_code = tables_.has_code || chooses;
      for (const unsigned char byte : kChooser) out_.put(chooses ? byte : 0, 1);
      out_.put(0, 8);
    }
    if (tables_.storage_size == 0) return;
    tables_.storage_at = storage_at_;
    for (std::size_t i = 0; i < file_.symbols.size(); ++i) out_.put(0, 8);
  }

  /// The address that each use fills, and the relocations that do it.
  void place_uses() {
    std::vector<std::size_t> now;
    std::vector<std::size_t> calls;
    for (std::size_t i = 0; i < file_.symbols.size(); ++i) {
      if (file_.symbols[i].used) (file_.symbols[i].called ? calls : now).push_back(i);
    }
    if (!now.empty()) {
      const auto [at, size] = place_relocations(now, 0);
      tables_.tags.emplace_back(kRelocations, at);
      tables_.tags.emplace_back(kRelocationsSize, size);
      tables_.tags.emplace_back(kRelocationSize, 24);
    }
    if (calls.empty()) return;
    constexpr std::size_t kReserved = 3;  // words of the loader's
    tables_.tags.emplace_back(kCallsTable, here());
    const auto [at, size] = place_relocations(calls, kReserved);
    tables_.tags.emplace_back(kCalls, at);
    tables_.tags.emplace_back(kCallsSize, size);
    tables_.tags.emplace_back(kCallsKind, kRelocations);
  }
  std::pair<std::uint64_t, std::uint64_t> place_relocations(const std::vector<std::size_t>& uses,
                                                            std::size_t reserved) {
    const std::uint64_t slots = here() + 8 * reserved;
    for (std::size_t i = 0; i < uses.size() + reserved; ++i) out_.put(0, 8);
    const std::uint64_t at = here();
    for (std::size_t i = 0; i < uses.size(); ++i) {
      const WorldSymbol& symbol = file_.symbols[uses[i]];
      out_.put(symbol.copied ? definitions_at_ + kDefinitionSize * uses[i] : slots + 8 * i, 8);
      out_.put((uses[i] + 1) << 32 | relocation_of(symbol), 8);
      out_.put(0, 8);
    }
    return {at, 24 * uses.size()};
  }
  static std::uint64_t relocation_of(const WorldSymbol& symbol) {
    if (symbol.copied) return 5;                       // R_X86_64_COPY
    if (symbol.called) return 7;                       // R_X86_64_JUMP_SLOT
    return symbol.type == SymbolType::tls ? 16U : 6U;  // R_X86_64_DTPMOD64, R_X86_64_GLOB_DAT
  }

  void place_versions() {
    tables_.tags.emplace_back(kVersionIndexes, here());
    out_.put(0, 2);
    for (const WorldSymbol& symbol : file_.symbols) out_.put(version_index(symbol), 2);
    if (!file_.versions.empty()) {
      std::vector<std::string> names = file_.versions;
      names.insert(names.begin(), file_.soname.value_or("base"));
      tables_.tags.emplace_back(kVersionDefinitions, here());
      tables_.tags.emplace_back(kVersionDefinitionCount, names.size());
      for (std::size_t i = 0; i < names.size(); ++i) {
        out_.put(1, 2);
        out_.put(i == 0 ? 1 : 0, 2);  // VER_FLG_BASE
        out_.put(i + 1, 2);
        out_.put(1, 2);
        out_.put(hash_of(names[i]), 4);
        out_.put(20, 4);
        out_.put(i + 1 < names.size() ? 28 : 0, 4);
        out_.put(text(names[i]), 4);
        out_.put(0, 4);
      }
    }
    if (needs_.empty()) return;
    tables_.tags.emplace_back(kVersionNeeds, here());
    tables_.tags.emplace_back(kVersionNeedCount, needs_.size());
    for (std::size_t i = 0; i < needs_.size(); ++i) {
      const std::size_t count = needs_[i].versions.size();
      out_.put(1, 2);
      out_.put(count, 2);
      out_.put(text(needs_[i].file), 4);
      out_.put(16, 4);
      out_.put(i + 1 < needs_.size() ? 16 + 16 * count : 0, 4);
      for (std::size_t v = 0; v < count; ++v) {
        const auto& [need, index] = needs_[i].versions[v];
        out_.put(hash_of(need.version), 4);
        out_.put(need.weak ? 2 : 0, 2);
        out_.put(index, 2);
        out_.put(text(need.version), 4);
        out_.put(v + 1 < count ? 16 : 0, 4);
      }
    }
    out_.align(8);
  }

  const WorldFile& file_;
  const std::uint64_t address_;
  std::string& strings_;
  testing::Buffer out_;
  SymbolTables tables_;
  std::vector<NeedsOf> needs_;
  std::uint64_t definitions_at_ = 0;
  std::uint64_t storage_at_ = 0;
};

}  // namespace

SymbolTables stamp_symbols(const WorldFile& file, std::uint64_t address, std::string& strings) {
  SymbolTables tables = Stamp(file, address, strings).run();
  tables.bytes.resize((tables.bytes.size() + 7) / 8 * 8, '\0');
  return tables;
}

}  // namespace wheelcheck::worlds
