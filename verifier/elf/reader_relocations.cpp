// Which symbols relocations name: only those are looked for when the file is loaded.
//
// The tables are the largest of a file, and of no other use, so they are neither waited for nor
// kept: where they lie before PT_DYNAMIC in the part that is kept until it is read, they are gone
// through on the spot, and left alone elsewhere.
#include "verifier/elf/reader.h"

namespace wheelcheck::elf {

namespace {

/// The relocation that copies a library's data into the program.
std::uint64_t copy_type(std::uint16_t machine) {
  constexpr std::uint64_t kNone = ~std::uint64_t{0};
  switch (machine) {
    case 3:   // 386
    case 62:  // x86-64
      return 5;
    case 20:  // PowerPC
    case 21:
      return 19;
    case 22:  // S/390
      return 9;
    case 40:  // ARM
      return 20;
    case 183:  // AArch64
      return 1024;
    case 243:  // RISC-V
      return 4;
    default:
      return kNone;
  }
}

}  // namespace

ElfReader::Step ElfReader::relocations() {
  if (!is_done(Job::dynamic)) return Step::waiting;
  if (!facts_.has_dynamic) return Step::done;
  // Packed relocations of Android.
  constexpr std::uint64_t kPackedRel = 0x6000000f;
  constexpr std::uint64_t kPackedRela = 0x60000011;
  if (tag_value(kPackedRel) || tag_value(kPackedRela)) return Step::done;
  const auto size_of = [&](std::uint64_t size_tag) { return tag_value(size_tag).value_or(0); };
  const bool plt_addends = size_of(tag::kPltRel) == tag::kRela;
  struct Table {
    std::optional<std::uint64_t> address;
    std::uint64_t size;
    bool with_addend;
    Use use;
  };
  const Table tables[] = {
      {tag_value(tag::kRela), size_of(tag::kRelaSize), true, kNow},
      {tag_value(tag::kRel), size_of(tag::kRelSize), false, kNow},
      {tag_value(tag::kJmpRel), size_of(tag::kPltRelSize), plt_addends, kAtFirstCall},
  };
  bool all = true;
  for (const Table& table : tables) {
    if (!table.address || table.size == 0) continue;
    all = all && read_references(*table.address, table.size, table.with_addend, table.use);
  }
  facts_.references_known = all;
  return Step::done;
}

bool ElfReader::read_references(std::uint64_t address, std::uint64_t size, bool with_addend,
                                Use use) {
  const auto extent = locate(address);
  if (!extent || extent->size < size) return false;
  // What a stream holds of the bytes behind PT_DYNAMIC depends on how it was cut.
  if (!image_.whole() && extent->offset + size > dynamic_extent_.offset) return false;
  const auto bytes = image_.peek(extent->offset, size);
  if (!bytes) return false;
  // MIPS packs the symbol elsewhere in 64-bit files.
  if (facts_.is_64 && facts_.machine == kMachineMips) return false;
  const std::uint64_t word = facts_.is_64 ? 8 : 4;
  const std::uint64_t entry_size = word * (with_addend ? 3 : 2);
  const Record table = record(*bytes);
  const std::uint64_t copy = copy_type(facts_.machine);
  for (std::uint64_t at = 0; at + entry_size <= size; at += entry_size) {
    const std::uint64_t info = facts_.is_64 ? table.u64(at + 8) : table.u32(at + 4);
    const std::uint64_t symbol = info >> (facts_.is_64 ? 32 : 8);
    if (symbol == 0) continue;
    if (symbol > budget_.symbols) return false;
    if (symbol >= uses_.size()) uses_.resize(symbol + 1);
    const std::uint64_t type = info & (facts_.is_64 ? 0xffffffffU : 0xffU);
    uses_[symbol] |= type == copy ? kCopy : use;
  }
  return true;
}

}  // namespace wheelcheck::elf
