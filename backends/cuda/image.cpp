#include "backends/cuda/image.h"

#include <algorithm>
#include <cinttypes>
#include <cstddef>
#include <cstring>
#include <elf.h>

#include "backends/cuda/refusal.h"

namespace executorch::backends::cuda {
namespace {

#if defined(__x86_64__)
constexpr Elf64_Half kMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#else
#error "compiled libraries are for x86-64 and aarch64"
#endif

constexpr std::uint64_t kMostSymbols = 1u << 20;
constexpr std::size_t kMostLibraries = 64;

class Image {
 public:
  Image(std::span<const std::uint8_t> bytes, const char* name) : bytes_(bytes), name_(name) {}

  Error read(Imports* ret) {
    OK_OR_RETURN(read_header());
    OK_OR_RETURN(read_segments());
    OK_OR_RETURN(read_dynamic());
    return list(ret);
  }

 private:
  template <typename T>
  bool get(std::uint64_t offset, T* ret) const {
    if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return false;
    std::memcpy(ret, bytes_.data() + offset, sizeof(T));
    return true;
  }
  bool holds(std::uint64_t offset, std::uint64_t size) const {
    return offset <= bytes_.size() && size <= bytes_.size() - offset;
  }
  Error damaged(const char* what) const {
    REFUSE(InvalidProgram, "the library '%s' (%zu bytes) is damaged or cut short: %s", name_,
           bytes_.size(), what);
  }

  // The ELF tables before any of them is believed.
  Error read_header() {
    if (bytes_.size() < SELFMAG || std::memcmp(bytes_.data(), ELFMAG, SELFMAG) != 0) {
      return damaged("it does not begin like an ELF file");
    }
    if (!get(0, &header_)) return damaged("its header is not all there");
    if (header_.e_ident[EI_CLASS] != ELFCLASS64 || header_.e_ident[EI_DATA] != ELFDATA2LSB ||
        header_.e_type != ET_DYN) {
      REFUSE(NotSupported, "'%s' is not a 64-bit shared library", name_);
    }
    if (header_.e_machine != kMachine) {
      REFUSE(NotSupported,
             "the library '%s' is for another processor: ELF machine %u, and this one is %u", name_,
             header_.e_machine, kMachine);
    }
    if (header_.e_shoff != 0 &&
        !holds(header_.e_shoff,
               static_cast<std::uint64_t>(header_.e_shnum) * header_.e_shentsize)) {
      return damaged("its sections end behind it");
    }
    return Error::Ok;
  }

  Error read_segments() {
    if (header_.e_phentsize != sizeof(Elf64_Phdr)) return damaged("its segments' size");
    for (std::uint64_t i = 0; i < header_.e_phnum; ++i) {
      Elf64_Phdr segment{};
      if (!get(header_.e_phoff + i * sizeof segment, &segment) || header_.e_phoff > bytes_.size()) {
        return damaged("its segments are not all listed");
      }
      if (segment.p_type == PT_GNU_STACK && (segment.p_flags & PF_X) != 0) {
        stack_flags_ = header_.e_phoff + i * sizeof segment + offsetof(Elf64_Phdr, p_flags);
      }
      if (segment.p_type != PT_LOAD && segment.p_type != PT_DYNAMIC) continue;
      if (!holds(segment.p_offset, segment.p_filesz)) return damaged("a segment ends behind it");
      if (segment.p_type == PT_LOAD) {
        loads_.push_back(segment);
      } else {
        dynamic_ = segment;
      }
    }
    if (dynamic_.p_filesz == 0) return damaged("it has no dynamic section");
    return Error::Ok;
  }

  // File offset of an address; false when it is in no segment.
  bool offset_of(std::uint64_t address, std::uint64_t* ret) const {
    for (const Elf64_Phdr& load : loads_) {
      if (address >= load.p_vaddr && address - load.p_vaddr < load.p_filesz) {
        *ret = load.p_offset + (address - load.p_vaddr);
        return true;
      }
    }
    return false;
  }

  Error read_dynamic() {
    std::uint64_t strings = 0;
    std::uint64_t symbols = 0;
    for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic_.p_filesz;
         at += sizeof(Elf64_Dyn)) {
      Elf64_Dyn entry{};
      if (!get(dynamic_.p_offset + at, &entry)) return damaged("its dynamic section");
      switch (entry.d_tag) {
        case DT_NULL:
          at = dynamic_.p_filesz - sizeof(Elf64_Dyn);
          break;
        case DT_NEEDED:
          if (needed_.size() == kMostLibraries) return damaged("it needs too many libraries");
          needed_.push_back(entry.d_un.d_val);
          break;
        case DT_STRTAB:
          strings = entry.d_un.d_ptr;
          break;
        case DT_STRSZ:
          strings_size_ = entry.d_un.d_val;
          break;
        case DT_SYMTAB:
          symbols = entry.d_un.d_ptr;
          break;
        case DT_HASH:
          hash_ = entry.d_un.d_ptr;
          break;
        case DT_GNU_HASH:
          gnu_hash_ = entry.d_un.d_ptr;
          break;
        default:
          break;
      }
    }
    if (!offset_of(strings, &strings_) || !holds(strings_, strings_size_) ||
        !offset_of(symbols, &symbols_)) {
      return damaged("its tables of symbols and names");
    }
    return count_symbols();
  }

  // Those that are imported come first: how many there are of them at most.
  Error count_symbols() {
    std::uint64_t at = 0;
    std::uint32_t count = 0;
    if (gnu_hash_ != 0) {
      // Buckets; index of the first symbol that is exported.
      if (!offset_of(gnu_hash_, &at) || !get(at + 4, &count)) return damaged("its hash table");
    } else if (hash_ != 0) {
      if (!offset_of(hash_, &at) || !get(at + 4, &count)) return damaged("its hash table");
    } else {
      return damaged("it has no hash table");
    }
    count_ = count;
    if (count_ > kMostSymbols || !holds(symbols_, count_ * sizeof(Elf64_Sym))) {
      return damaged("its number of symbols");
    }
    return Error::Ok;
  }

  bool text(std::uint64_t offset, std::string* ret) const {
    if (offset >= strings_size_) return false;
    const auto* const begin = bytes_.data() + strings_ + offset;
    const auto* const end = bytes_.data() + strings_ + strings_size_;
    const auto* const zero = std::find(begin, end, std::uint8_t{0});
    if (zero == end) return false;
    ret->assign(begin, zero);
    return true;
  }

  Error list(Imports* ret) const {
    ret->executable_stack_flags = stack_flags_;
    std::string word;
    for (const std::uint64_t offset : needed_) {
      if (!text(offset, &word)) return damaged("the name of a library that it needs");
      ret->libraries.push_back(word);
    }
    for (std::uint64_t i = 1; i < count_; ++i) {
      Elf64_Sym symbol{};
      if (!get(symbols_ + i * sizeof symbol, &symbol)) return damaged("its symbols");
      if (symbol.st_shndx != SHN_UNDEF || ELF64_ST_BIND(symbol.st_info) != STB_GLOBAL) continue;
      if (!text(symbol.st_name, &word)) return damaged("the name of a symbol");
      ret->symbols.push_back(word);
    }
    return Error::Ok;
  }

  std::span<const std::uint8_t> bytes_;
  const char* name_;
  Elf64_Ehdr header_{};
  Elf64_Phdr dynamic_{};
  std::vector<Elf64_Phdr> loads_;
  std::vector<std::uint64_t> needed_;
  std::uint64_t stack_flags_ = 0;
  std::uint64_t strings_ = 0;
  std::uint64_t strings_size_ = 0;
  std::uint64_t symbols_ = 0;
  std::uint64_t count_ = 0;
  std::uint64_t hash_ = 0;
  std::uint64_t gnu_hash_ = 0;
};

}  // namespace

Error read_imports(std::span<const std::uint8_t> image, const char* name, Imports* ret) {
  *ret = {};
  return Image(image, name).read(ret);
}

}  // namespace executorch::backends::cuda
