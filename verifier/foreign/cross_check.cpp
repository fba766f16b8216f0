#include "verifier/foreign/cross_check.h"

#include <span>
#include <string_view>
#include <type_traits>
#include <utility>

#include "verifier/foreign/text.h"

namespace wheelcheck {

namespace {

// Tags and flags by their numbers in the file.
enum : std::uint64_t {
  kSoname = 14,
  kRpath = 15,
  kTextrel = 22,
  kRunpath = 29,
  kFlags = 30,
  kRelr = 36,
  kNeeded = 1,
  kFlags1 = 0x6ffffffb,
};
constexpr std::uint64_t kFlagTextrel = 0x4;
constexpr std::uint32_t kGnuStack = 0x6474e551;
constexpr std::uint32_t kThreadLocal = 7;
constexpr std::uint16_t kVersionBase = 1, kVersionWeak = 2;

// What LIEF 0.12.3 reads at most, in silence (ELF/Parser.hpp). A table that is longer is left out
// of the comparison, by name; it would differ for no fault of ours.
constexpr std::size_t kLiefSections = 10'000;
constexpr std::size_t kLiefDynamicEntries = 1'000;
constexpr std::size_t kLiefStaticSymbols = 1'000'000;

std::string shown(std::string_view value) { return "'" + std::string(value) + "'"; }
std::string shown(bool value) { return value ? "yes" : "no"; }
template <std::unsigned_integral T>
std::string shown(T value) {
  return value < 10 ? std::to_string(value) : std::to_string(value) + " (" + hex(value) + ")";
}
template <class T>
std::string shown(const std::optional<T>& value) {
  return value ? shown(*value) : std::string("none");
}

// Binding, type and visibility as our reader files them. That verifier/elf/reader_symbols.cpp says
// the same is meant: the cross-check is a second opinion, and one that decoded with our reader's
// own table would agree with whatever is wrong in it. Do not share the two.
SymbolBinding binding_of(std::uint8_t raw) {
  switch (raw) {
    case 0:
      return SymbolBinding::local;
    case 1:
      return SymbolBinding::global;
    case 2:
      return SymbolBinding::weak;
    case 10:
      return SymbolBinding::gnu_unique;
    default:
      return SymbolBinding::other;
  }
}

SymbolType type_of(std::uint8_t raw) {
  switch (raw) {
    case 0:
      return SymbolType::none;
    case 1:
      return SymbolType::object;
    case 2:
      return SymbolType::function;
    case 3:
      return SymbolType::section;
    case 4:
      return SymbolType::file;
    case 5:
      return SymbolType::common;
    case 6:
      return SymbolType::tls;
    case 10:
      return SymbolType::ifunc;
    default:
      return SymbolType::other;
  }
}

SymbolVisibility visibility_of(std::uint8_t other) {
  switch (other & 3) {  // LIEF's visibility() is the whole byte, with processor bits in it
    case 1:
      return SymbolVisibility::internal;
    case 2:
      return SymbolVisibility::hidden;
    case 3:
      return SymbolVisibility::protected_;
    default:
      return SymbolVisibility::standard;
  }
}

class Comparison {
 public:
  Comparison(const ElfFacts& ours, const LiefElf& lief) : ours_(ours), lief_(lief) {}

  CrossCheck run() {
    if (auto reason = incomparable()) {
      out_.skipped = std::move(reason);
      return std::move(out_);
    }
    header();
    segments();
    sections();
    dynamic();
    versions();
    dynamic_symbols();
    local_symbols();
    return std::move(out_);
  }

 private:
  // Names are made only for what differs: there are millions of fields that do not.
  template <class Name, class Ours, class Lief>
  void field(const Name& name, const Ours& ours, const Lief& lief) {
    ++out_.compared;
    if (ours == lief) return;
    ++out_.differing;
    if (out_.disagreements.size() >= CrossCheck::kListed) return;
    if constexpr (std::is_invocable_v<Name>) {
      out_.disagreements.push_back({name(), shown_any(ours), shown_any(lief)});
    } else {
      out_.disagreements.push_back({std::string(name), shown_any(ours), shown_any(lief)});
    }
  }
  template <class T>
  static std::string shown_any(const T& value) {
    if constexpr (std::is_enum_v<T>) {
      return shown(static_cast<std::uint64_t>(value));
    } else {
      return shown(value);
    }
  }

  // True when both have as many, so that items can be held against each other one by one.
  bool counts(std::string_view what, std::size_t ours, std::size_t lief) {
    field(std::string("number of ") + std::string(what), ours, lief);
    return ours == lief;
  }

  // LIEF lets the machine decide between 32 and 64 bit where it knows it, against EI_CLASS, and
  // then reads the file with the wrong layout (x32, arm64 ILP32).
  [[nodiscard]] std::optional<std::string> incomparable() const {
    if ((lief_.elf_class == 2) == ours_.is_64) return std::nullopt;
    return "LIEF takes the file for " + std::string(ours_.is_64 ? "32" : "64") +
           "-bit because of its machine";
  }

  void header() {
    field("byte order", ours_.endian == Endian::big, lief_.data == 2);
    field("os abi", ours_.os_abi, lief_.os_abi);
    field("type", ours_.type, lief_.type);
    field("machine", ours_.machine, lief_.machine);
    field("flags", ours_.flags, lief_.flags);
  }

  void segments() {
    if (!counts("segments", ours_.segments.size(), lief_.segments.size())) return;
    std::optional<std::uint32_t> stack_flags;
    std::optional<std::uint64_t> tls_size;
    for (std::size_t i = 0; i < lief_.segments.size(); ++i) {
      const ElfSegment& a = ours_.segments[i];
      const LiefSegment& b = lief_.segments[i];
      const auto name = [&](const char* part) {
        return [i, part] { return "segment " + std::to_string(i) + ": " + part; };
      };
      field(name("type"), a.type, b.type);
      field(name("flags"), a.flags, b.flags);
      field(name("offset"), a.offset, b.offset);
      field(name("address"), a.address, b.address);
      field(name("size in the file"), a.file_size, b.file_size);
      field(name("size in memory"), a.memory_size, b.memory_size);
      field(name("alignment"), a.align, b.align);
      if (b.type == kGnuStack) stack_flags = b.flags;
      if (b.type == kThreadLocal) tls_size = b.memory_size;
    }
    field("PT_GNU_STACK flags", ours_.stack_flags, stack_flags);
    field("PT_TLS size", ours_.tls_size, tls_size);
    field("interpreter", ours_.interpreter.value_or(""), lief_.interpreter);
  }

  void sections() {
    if (ours_.sections.size() > kLiefSections) {
      out_.left_out.push_back("sections: LIEF reads the first " + std::to_string(kLiefSections));
      return;
    }
    if (!counts("sections", ours_.sections.size(), lief_.sections.size())) return;
    for (std::size_t i = 0; i < lief_.sections.size(); ++i) {
      const ElfSection& a = ours_.sections[i];
      const LiefSection& b = lief_.sections[i];
      const auto name = [&](const char* part) {
        return [&, part] { return "section " + std::to_string(i) + " (" + a.name + "): " + part; };
      };
      field(name("name"), a.name, b.name);
      field(name("type"), a.type, b.type);
      field(name("flags"), a.flags, b.flags);
      field(name("offset"), a.offset, b.offset);
      field(name("size"), a.size, b.size);
      field(name("address"), a.address, b.address);
    }
    field("build id", ours_.build_id, lief_.build_id);
  }

  // Where a tag that may stand once stands twice, the loader takes the last.
  [[nodiscard]] const LiefDynamic* last(std::uint64_t tag) const {
    const LiefDynamic* found = nullptr;
    for (const LiefDynamic& entry : lief_.dynamic) {
      if (entry.tag == tag) found = &entry;
    }
    return found;
  }
  [[nodiscard]] std::optional<std::string> text(std::uint64_t tag) const {
    const LiefDynamic* entry = last(tag);
    return entry == nullptr ? std::nullopt : std::optional(entry->text);
  }
  [[nodiscard]] std::uint64_t value(std::uint64_t tag) const {
    const LiefDynamic* entry = last(tag);
    return entry == nullptr ? 0 : entry->value;
  }

  void dynamic() {
    if (lief_.dynamic.size() >= kLiefDynamicEntries) {
      out_.left_out.push_back("dynamic section: LIEF reads the first " +
                              std::to_string(kLiefDynamicEntries) + " entries");
      return;
    }
    field("has a dynamic section", ours_.has_dynamic, !lief_.dynamic.empty());
    field("SONAME", ours_.soname, text(kSoname));
    field("RPATH", ours_.rpath, text(kRpath));
    field("RUNPATH", ours_.runpath, text(kRunpath));
    field("DT_FLAGS", ours_.dt_flags, value(kFlags));
    field("DT_FLAGS_1", ours_.dt_flags_1, value(kFlags1));
    field("DT_RELR", ours_.has_relr, last(kRelr) != nullptr);
    field("text relocations", ours_.has_textrel,
          last(kTextrel) != nullptr || (value(kFlags) & kFlagTextrel) != 0);
    std::vector<std::string_view> needed;
    for (const LiefDynamic& entry : lief_.dynamic) {
      if (entry.tag == kNeeded) needed.push_back(entry.text);
    }
    if (!counts("NEEDED", ours_.needed.size(), needed.size())) return;
    for (std::size_t i = 0; i < needed.size(); ++i) {
      field([i] { return "NEEDED[" + std::to_string(i) + "]"; }, std::string_view(ours_.needed[i]),
            needed[i]);
    }
  }

  void versions() {
    std::vector<const ElfVersion*> needed, defined;
    for (const ElfVersion& version : ours_.versions) {
      (version.defined ? defined : needed).push_back(&version);
    }
    compare_versions("needed version", needed, lief_.needed_versions);
    compare_versions("defined version", defined, lief_.defined_versions);
  }

  void compare_versions(const char* what, const std::vector<const ElfVersion*>& ours,
                        const std::vector<LiefVersion>& lief) {
    if (!counts(std::string(what) + "s", ours.size(), lief.size())) return;
    for (std::size_t i = 0; i < lief.size(); ++i) {
      const ElfVersion& a = *ours[i];
      const LiefVersion& b = lief[i];
      const auto name = [&](const char* part) {
        return [&, part] {
          return std::string(what) + " " + std::to_string(i) + " (" + a.name + "): " + part;
        };
      };
      field(name("name"), a.name, b.name);
      field(name("file"), a.file, b.file);
      field(name("index"), a.index, static_cast<std::uint16_t>(b.index & 0x7fff));
      field(name("weak"), a.weak, (b.flags & kVersionWeak) != 0);
      field(name("base"), a.base, a.defined && (b.flags & kVersionBase) != 0);
    }
  }

  // The version that a raw entry of .gnu.version stands for, by LIEF's own records.
  [[nodiscard]] std::string_view version_name(std::uint32_t raw) const {
    if (raw == LiefSymbol::kNoVersion) return {};
    const std::uint32_t index = raw & 0x7fff;
    if (index < 2) return {};
    for (const auto* records : {&lief_.needed_versions, &lief_.defined_versions}) {
      for (const LiefVersion& version : *records) {
        if ((version.index & 0x7fff) == index) return version.name;
      }
    }
    return {};
  }

  void dynamic_symbols() {
    const std::span<const ElfSymbol> ours = ours_.dynamic_symbols;
    // Entry 0 of the table is no symbol, and our reader does not list it.
    std::span<const LiefSymbol> lief = lief_.dynamic_symbols;
    if (!lief.empty()) lief = lief.subspan(1);
    if (!counts("dynamic symbols", ours.size(), lief.size())) return;
    for (std::size_t i = 0; i < lief.size(); ++i) {
      const ElfSymbol& a = ours[i];
      const LiefSymbol& b = lief[i];
      const auto name = [&](const char* part) {
        return [&, part] {
          return "dynamic symbol " + std::to_string(i + 1) + " (" + b.name + "): " + part;
        };
      };
      field(name("name"), ours_.name(a), std::string_view(b.name));
      symbol(name, a, b);
      field(name("visibility"), a.visibility, visibility_of(b.other));
      field(name("defined"), a.defined, b.section != 0);
      const ElfVersion* version = ours_.version_of(a);
      field(name("version"), version == nullptr ? std::string_view() : version->name,
            version_name(b.version));
      field(name("version is hidden"), a.version_hidden,
            b.version != LiefSymbol::kNoVersion && (b.version & 0x8000) != 0);
    }
  }

  template <class Name>
  void symbol(const Name& name, const ElfSymbol& a, const LiefSymbol& b) {
    field(name("binding"), a.binding, binding_of(b.binding));
    field(name("type"), a.type, type_of(b.type));
    field(name("value"), a.value, b.value);
    field(name("size"), a.size, b.size);
  }

  void local_symbols() {
    if (ours_.symtab == SymtabState::not_requested) return;
    if (ours_.symtab == SymtabState::over_budget) {
      out_.left_out.push_back("local symbols: " + ours_.symtab_note);
      return;
    }
    if (ours_.symtab == SymtabState::read && ours_.sections.size() > kLiefSections) {
      out_.left_out.push_back("local symbols: LIEF may not have seen the section that holds them");
      return;
    }
    if (lief_.static_symbols.size() >= kLiefStaticSymbols) {
      out_.left_out.push_back("local symbols: LIEF reads the first " +
                              std::to_string(kLiefStaticSymbols));
      return;
    }
    std::vector<const LiefSymbol*> locals;
    for (const LiefSymbol& candidate : lief_.static_symbols) {
      const SymbolType type = type_of(candidate.type);
      if (binding_of(candidate.binding) == SymbolBinding::local && candidate.section != 0 &&
          (type == SymbolType::function || type == SymbolType::ifunc ||
           type == SymbolType::object || type == SymbolType::tls)) {
        locals.push_back(&candidate);
      }
    }
    if (!counts("local symbols", ours_.local_symbols.size(), locals.size())) return;
    for (std::size_t i = 0; i < locals.size(); ++i) {
      const LiefSymbol& b = *locals[i];
      const auto name = [&](const char* part) {
        return [&, part] {
          return "local symbol " + std::to_string(i) + " (" + b.name + "): " + part;
        };
      };
      field(name("name"), ours_.local_name(ours_.local_symbols[i]), std::string_view(b.name));
      symbol(name, ours_.local_symbols[i], b);
    }
  }

  const ElfFacts& ours_;
  const LiefElf& lief_;
  CrossCheck out_;
};

}  // namespace

ChildLimits cross_check_limits() {
  ChildLimits limits;
  limits.memory_bytes = 1u << 30;
  limits.cpu_seconds = 120;
  limits.wall_seconds = 600;
  return limits;
}

CrossCheck compare_elf(const ElfFacts& ours, const LiefElf& lief) {
  return Comparison(ours, lief).run();
}

CrossCheck cross_check(const std::string& where, const ElfFacts& ours, Bytes file,
                       const ChildLimits& limits) {
  CrossCheck out;
  const auto answer = ask_lief_worker(where, "elf", file, limits);
  if (!answer) {
    out.skipped = answer.error().what;
    return out;
  }
  const auto lief = decode_lief_elf(*answer);
  if (!lief) {
    out.skipped = "the LIEF worker's answer makes no sense";
    return out;
  }
  return compare_elf(ours, *lief);
}

}  // namespace wheelcheck
