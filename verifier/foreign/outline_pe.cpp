#include <algorithm>
#include <optional>
#include <string_view>

#include "verifier/foreign/outline.h"
#include "verifier/foreign/text.h"

namespace wheelcheck {

namespace {

constexpr std::uint32_t kMaxSections = 96;         // the Windows loader's limit
constexpr std::uint32_t kMaxDescriptors = 16'384;  // imported DLLs; real files have tens
constexpr std::uint64_t kMaxDllName = 4'096;       // bytes
constexpr std::uint32_t kImportDirectory = 1;
constexpr std::uint32_t kDelayImportDirectory = 13;

struct Section {
  std::uint64_t address = 0;
  std::uint64_t memory_size = 0;
  std::uint64_t offset = 0;
  std::uint64_t file_size = 0;
};

std::string machine_name(std::uint16_t machine) {
  switch (machine) {
    case 0x8664:
      return "amd64";
    case 0x014c:
      return "win32";
    case 0xaa64:
      return "arm64";
    case 0x01c4:
      return "arm32";
    default:
      return "unknown (" + hex(machine) + ")";
  }
}

class PeReader {
 public:
  PeReader(const std::string& where, Bytes file) : where_(where), file_(file) {}

  Result<PeOutline> read() {
    if (auto error = read_headers()) return std::move(*error);
    if (auto error = read_sections()) return std::move(*error);
    struct Directory {
      std::uint32_t index, entry_size, name_at;
      std::uint32_t* count;
      const char* what;
    };
    const Directory directories[] = {
        {kImportDirectory, 20, 12, &out_.imports, "the import directory"},
        {kDelayImportDirectory, 32, 4, &out_.delay_imports, "the delay import directory"},
    };
    for (const Directory& directory : directories) {
      auto count = count_descriptors(directory.index, directory.entry_size, directory.name_at,
                                     directory.what);
      if (!count) return std::move(count).error();
      *directory.count = *count;
    }
    return std::move(out_);
  }

 private:
  Error fail(std::string what, std::uint64_t offset) const {
    return Error{where_, std::move(what), offset};
  }
  std::uint32_t word(std::uint64_t offset) const {
    return read_at<std::uint32_t>(file_, offset).value_or(0);
  }
  std::uint16_t half(std::uint64_t offset) const {
    return read_at<std::uint16_t>(file_, offset).value_or(0);
  }

  std::optional<Error> read_headers() {
    if (file_.size() < 64 || half(0) != 0x5a4d) return fail("the DOS header is cut off", 0);
    const std::uint64_t pe = word(0x3c);
    if (!slice(file_, pe, 24)) {
      return fail(
          "the PE header at " + hex(pe) + " lies beyond the file's " + bytes_text(file_.size()),
          0x3c);
    }
    if (word(pe) != 0x00004550) return fail("a DOS program without a PE header", pe);
    out_.machine = machine_name(half(pe + 4));
    section_count_ = half(pe + 6);
    optional_size_ = half(pe + 20);
    optional_ = pe + 24;
    out_.kind =
        (half(pe + 22) & 0x2000) != 0 ? ForeignKind::shared_library : ForeignKind::executable;
    if (!slice(file_, optional_, optional_size_)) {
      return fail("the optional header runs beyond the file", optional_);
    }
    const std::uint16_t magic = half(optional_);
    if (optional_size_ < 2 || (magic != 0x10b && magic != 0x20b)) {
      return fail("an optional header of unknown kind " + hex(magic), optional_);
    }
    directories_ = optional_ + (magic == 0x20b ? 112 : 96);
    const std::uint64_t fixed = directories_ - optional_;
    if (optional_size_ < fixed) {
      return fail("an optional header of " + bytes_text(optional_size_), optional_);
    }
    directory_count_ =
        std::min<std::uint64_t>(word(directories_ - 4), (optional_size_ - fixed) / 8);
    headers_size_ = word(optional_ + 60);
    if (section_count_ > kMaxSections) {
      return fail("claims " + std::to_string(section_count_) + " sections; Windows loads at most " +
                      std::to_string(kMaxSections),
                  pe + 6);
    }
    return std::nullopt;
  }

  std::optional<Error> read_sections() {
    const std::uint64_t table = optional_ + optional_size_;
    if (!slice(file_, table, section_count_ * std::uint64_t{40})) {
      return fail("the section table runs beyond the file", table);
    }
    for (std::uint32_t i = 0; i < section_count_; ++i) {
      const std::uint64_t at = table + i * std::uint64_t{40};
      Section section;
      section.memory_size = word(at + 8);
      section.address = word(at + 12);
      section.file_size = word(at + 16);
      section.offset = word(at + 20);
      // Linkers round file_size up, and some do not pad the file's end to match: what is mapped
      // must be there, the padding need not.
      const std::uint64_t mapped = section.memory_size == 0
                                       ? section.file_size
                                       : std::min(section.memory_size, section.file_size);
      if (mapped != 0 && !slice(file_, section.offset, mapped)) {
        return fail("section " + std::to_string(i) + " at " + hex(section.offset) + " of " +
                        bytes_text(mapped) + " runs beyond the file's " + bytes_text(file_.size()),
                    at);
      }
      sections_.push_back(section);
    }
    return std::nullopt;
  }

  // Where an address of the loaded image lies in the file.
  std::optional<std::uint64_t> offset_of(std::uint64_t address) const {
    for (const Section& section : sections_) {
      const std::uint64_t size = std::max(section.memory_size, section.file_size);
      if (address < section.address || address - section.address >= size) continue;
      const std::uint64_t inside = address - section.address;
      if (inside >= section.file_size) return std::nullopt;
      return section.offset + inside;
    }
    if (address < headers_size_) return address;
    return std::nullopt;
  }

  bool name_is_readable(std::uint64_t address) const {
    const auto offset = offset_of(address);
    if (!offset || *offset >= file_.size()) return false;
    const std::uint64_t size = std::min<std::uint64_t>(file_.size() - *offset, kMaxDllName);
    return as_text(file_.subspan(*offset, size)).find('\0') != std::string_view::npos;
  }

  Result<std::uint32_t> count_descriptors(std::uint32_t directory, std::uint32_t entry_size,
                                          std::uint32_t name_at, const std::string& what) const {
    if (directory >= directory_count_) return std::uint32_t{0};
    const std::uint64_t address = word(directories_ + directory * std::uint64_t{8});
    if (address == 0) return std::uint32_t{0};
    const auto start = offset_of(address);
    if (!start) return fail(what + " lies outside all sections", directories_ + directory * 8ull);
    for (std::uint32_t i = 0; i < kMaxDescriptors; ++i) {
      const std::uint64_t at = *start + std::uint64_t{i} * entry_size;
      const auto entry = slice(file_, at, entry_size);
      if (!entry) return fail(what + " runs beyond the file", at);
      const std::uint32_t name = word(at + name_at);
      if (name == 0) return i;
      if (!name_is_readable(name)) {
        return fail(what + ": entry " + std::to_string(i) + " names a DLL outside the file", at);
      }
    }
    return fail(what + " has more than " + std::to_string(kMaxDescriptors) + " entries", *start);
  }

  const std::string& where_;
  Bytes file_;
  PeOutline out_;
  std::vector<Section> sections_;
  std::uint32_t section_count_ = 0;
  std::uint64_t optional_ = 0;
  std::uint64_t optional_size_ = 0;
  std::uint64_t directories_ = 0;
  std::uint64_t directory_count_ = 0;
  std::uint64_t headers_size_ = 0;
};

}  // namespace

Result<PeOutline> outline_pe(const std::string& where, Bytes file) {
  return PeReader(where, file).read();
}

}  // namespace wheelcheck
