#include <algorithm>
#include <optional>
#include <string_view>

#include "verifier/foreign/outline.h"
#include "verifier/foreign/text.h"

namespace wheelcheck {

namespace {

constexpr std::uint32_t kMaxSlices = 16;       // LIEF's own limit is 10; real files have 2 or 3
constexpr std::uint32_t kMaxCommands = 65535;  // LIEF's limit; what it cuts we must not pass

enum : std::uint32_t {
  kSegment = 0x1,
  kSymbolTable = 0x2,
  kLoadDylib = 0xc,
  kIdDylib = 0xd,
  kSegment64 = 0x19,
  kLoadWeakDylib = 0x80000018,
  kRpath = 0x8000001c,
  kReexportDylib = 0x8000001f,
  kLazyLoadDylib = 0x20,
  kLoadUpwardDylib = 0x80000023,
};

std::string machine_name(std::uint32_t cpu, std::uint32_t subtype) {
  const std::uint32_t variant = subtype & 0x00ffffff;  // the top byte holds capability bits
  switch (cpu) {
    case 7:
      return "i386";
    case 0x01000007:
      return variant == 8 ? "x86_64h" : "x86_64";
    case 12:
      return "arm";
    case 0x0100000c:
      return variant == 2 ? "arm64e" : "arm64";
    case 0x0200000c:
      return "arm64_32";
    case 18:
      return "ppc";
    case 0x01000012:
      return "ppc64";
    default:
      return "unknown (" + hex(cpu) + ")";
  }
}

ForeignKind kind_of(std::uint32_t file_type) {
  switch (file_type) {
    case 1:
      return ForeignKind::object;
    case 2:
      return ForeignKind::executable;
    case 6:
    case 8:
      return ForeignKind::shared_library;
    case 10:
      return ForeignKind::debug_companion;
    default:
      return ForeignKind::other;
  }
}

// Checks one slice; errors carry offsets in the whole file.
class SliceReader {
 public:
  SliceReader(const std::string& where, Bytes slice, std::uint64_t base)
      : where_(where), slice_(slice), base_(base) {}

  Result<MachOSlice> read() {
    out_.offset = base_;
    out_.size = slice_.size();
    if (auto error = read_header()) return std::move(*error);
    if (auto error = read_commands()) return std::move(*error);
    return std::move(out_);
  }

 private:
  Error fail(std::string what, std::uint64_t offset) const {
    return Error{where_, std::move(what), base_ + offset};
  }

  std::uint32_t word(std::uint64_t offset) const {
    return read_at<std::uint32_t>(slice_, offset).value_or(0);
  }

  std::optional<Error> read_header() {
    const auto magic = read_at<std::uint32_t>(slice_, 0);
    if (!magic) return fail("a Mach-O slice of " + bytes_text(slice_.size()), 0);
    if (*magic == 0xcefaedfe || *magic == 0xcffaedfe) {
      return fail("a big-endian Mach-O slice, which LIEF does not read", 0);
    }
    if (*magic != 0xfeedface && *magic != 0xfeedfacf) {
      return fail("a Mach-O slice that starts with " + hex(*magic), 0);
    }
    is_64_ = *magic == 0xfeedfacf;
    header_size_ = is_64_ ? 32 : 28;
    if (slice_.size() < header_size_) {
      return fail("the Mach-O header is cut off: " + bytes_text(slice_.size()), 0);
    }
    out_.machine = machine_name(word(4), word(8));
    out_.kind = kind_of(word(12));
    out_.commands = word(16);
    commands_size_ = word(20);
    if (out_.commands > kMaxCommands) {
      return fail("claims " + std::to_string(out_.commands) + " load commands", 16);
    }
    if (!slice(slice_, header_size_, commands_size_)) {
      return fail("load commands of " + bytes_text(commands_size_) + " run beyond the slice", 20);
    }
    return std::nullopt;
  }

  std::optional<Error> read_commands() {
    std::uint64_t at = header_size_;
    const std::uint64_t end = header_size_ + commands_size_;
    for (std::uint32_t i = 0; i < out_.commands; ++i) {
      if (end - at < 8) {
        return fail("load command " + std::to_string(i) + " lies beyond the load commands", at);
      }
      const std::uint32_t size = word(at + 4);
      if (size < 8 || size % 4 != 0 || size > end - at) {
        return fail("load command " + std::to_string(i) + " has an impossible size of " +
                        std::to_string(size),
                    at);
      }
      if (auto error = read_command(word(at), at, size)) return error;
      at += size;
    }
    return std::nullopt;
  }

  std::optional<Error> read_command(std::uint32_t command, std::uint64_t at, std::uint32_t size) {
    switch (command) {
      case kSegment:
      case kSegment64:
        return read_segment(command == kSegment64, at, size);
      case kSymbolTable:
        return read_symbol_table(at, size);
      case kIdDylib:
        out_.has_identity = true;
        return read_string(at, size, 24, "LC_ID_DYLIB");
      case kLoadDylib:
      case kLoadWeakDylib:
      case kReexportDylib:
      case kLazyLoadDylib:
      case kLoadUpwardDylib:
        ++out_.libraries;
        return read_string(at, size, 24, "a library load command");
      case kRpath:
        ++out_.rpaths;
        return read_string(at, size, 12, "LC_RPATH");
      default:
        return std::nullopt;
    }
  }

  // The string must end inside its command: dyld refuses the file otherwise, and LIEF would run on
  // into whatever follows.
  std::optional<Error> read_string(std::uint64_t at, std::uint32_t size, std::uint32_t fixed,
                                   std::string_view what) const {
    const std::uint32_t offset = word(at + 8);
    if (size < fixed || offset < fixed || offset >= size) {
      return fail(std::string(what) + " names a string outside itself", at);
    }
    const std::string_view text = as_text(slice_.subspan(at + offset, size - offset));
    if (text.find('\0') == std::string_view::npos) {
      return fail(std::string(what) + " holds a string that does not end", at + offset);
    }
    return std::nullopt;
  }

  std::optional<Error> read_segment(bool wide, std::uint64_t at, std::uint32_t size) const {
    const std::uint32_t fixed = wide ? 72 : 56;
    if (wide != is_64_) return fail("a segment command of the other word size", at);
    if (size < fixed) return fail("a segment command of " + bytes_text(size), at);
    const std::uint64_t file_offset =
        wide ? read_at<std::uint64_t>(slice_, at + 40).value_or(0) : word(at + 32);
    const std::uint64_t file_size =
        wide ? read_at<std::uint64_t>(slice_, at + 48).value_or(0) : word(at + 36);
    const std::uint64_t sections = word(at + (wide ? 64 : 48));
    if (sections * (wide ? 80 : 68) > size - fixed) {
      return fail("a segment command too small for its " + std::to_string(sections) + " sections",
                  at);
    }
    // A dSYM keeps the segments of the library that it describes, without their bytes.
    if (out_.kind == ForeignKind::debug_companion) return std::nullopt;
    if (file_size != 0 && !slice(slice_, file_offset, file_size)) {
      return fail("segment at " + hex(file_offset) + " of " + bytes_text(file_size) +
                      " runs beyond the slice's " + bytes_text(slice_.size()),
                  at);
    }
    return std::nullopt;
  }

  std::optional<Error> read_symbol_table(std::uint64_t at, std::uint32_t size) const {
    if (size < 24) return fail("LC_SYMTAB of " + bytes_text(size), at);
    const std::uint64_t symbols = std::uint64_t{word(at + 12)} * (is_64_ ? 16 : 12);
    if (!slice(slice_, word(at + 8), symbols) || !slice(slice_, word(at + 16), word(at + 20))) {
      return fail("the symbol table runs beyond the slice", at);
    }
    return std::nullopt;
  }

  const std::string& where_;
  Bytes slice_;
  std::uint64_t base_;
  MachOSlice out_;
  bool is_64_ = true;
  std::uint64_t header_size_ = 0;
  std::uint64_t commands_size_ = 0;
};

// Two slices that share bytes would let one file be judged by what another loader never sees.
std::optional<Error> find_overlap(const std::string& where, const std::vector<MachOSlice>& slices) {
  std::vector<const MachOSlice*> order;
  for (const MachOSlice& slice : slices) order.push_back(&slice);
  std::sort(order.begin(), order.end(),
            [](const auto* a, const auto* b) { return a->offset < b->offset; });
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (order[i - 1]->offset + order[i - 1]->size > order[i]->offset) {
      return Error{
          where,
          "the slices for " + order[i - 1]->machine + " and " + order[i]->machine + " overlap",
          order[i]->offset};
    }
  }
  return std::nullopt;
}

Result<std::vector<MachOSlice>> outline_universal(const std::string& where, Bytes file) {
  const bool wide = read_at<std::uint32_t>(file, 0, Endian::big) == 0xcafebabf;
  const auto count = read_at<std::uint32_t>(file, 4, Endian::big);
  if (!count) return Error{where, "the universal binary's header is cut off", 0};
  if (*count == 0 || *count > kMaxSlices) {
    return Error{where, "a universal binary that claims " + std::to_string(*count) + " slices", 4};
  }
  const std::uint64_t entry_size = wide ? 32 : 20;
  std::vector<MachOSlice> slices;
  for (std::uint32_t i = 0; i < *count; ++i) {
    const std::uint64_t at = 8 + i * entry_size;
    if (!slice(file, at, entry_size)) return Error{where, "the table of slices is cut off", at};
    const auto word = [&](std::uint64_t offset) {
      return read_at<std::uint32_t>(file, at + offset, Endian::big).value_or(0);
    };
    const auto long_word = [&](std::uint64_t offset) {
      return read_at<std::uint64_t>(file, at + offset, Endian::big).value_or(0);
    };
    const std::uint64_t offset = wide ? long_word(8) : word(8);
    const std::uint64_t size = wide ? long_word(16) : word(12);
    const std::string machine = machine_name(word(0), word(4));
    const auto bytes = slice(file, offset, size);
    if (!bytes || offset < 8 + *count * entry_size) {
      return Error{where,
                   "the slice for " + machine + " at " + hex(offset) + " of " + bytes_text(size) +
                       (bytes ? " overlaps the table of slices"
                              : " runs beyond the file's " + bytes_text(file.size())),
                   at};
    }
    if (as_text(*bytes).starts_with("!<arch>\n")) {
      MachOSlice archive;
      archive.offset = offset;
      archive.size = size;
      archive.machine = machine;
      archive.kind = ForeignKind::archive;
      slices.push_back(std::move(archive));
      continue;
    }
    auto read = SliceReader(where, *bytes, offset).read();
    if (!read) return std::move(read).error();
    if (read->machine != machine) {
      return Error{
          where, "the table of slices says " + machine + ", the slice itself " + read->machine, at};
    }
    slices.push_back(*std::move(read));
  }
  if (auto error = find_overlap(where, slices)) return std::move(*error);
  return slices;
}

}  // namespace

Result<std::vector<MachOSlice>> outline_mach_o(const std::string& where, Bytes file) {
  const auto magic = read_at<std::uint32_t>(file, 0, Endian::big);
  constexpr std::uint32_t kUniversal = 0xcafebabe;
  constexpr std::uint32_t kUniversal64 = 0xcafebabf;
  if (magic == kUniversal || magic == kUniversal64) return outline_universal(where, file);
  auto read = SliceReader(where, file, 0).read();
  if (!read) return std::move(read).error();
  std::vector<MachOSlice> slices;
  slices.push_back(*std::move(read));
  return slices;
}

}  // namespace wheelcheck
