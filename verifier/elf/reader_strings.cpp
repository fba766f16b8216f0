// Strings out of string tables, under budgets: many names may share one long string, so lengths
// are added up even where nothing is copied.
#include <algorithm>
#include <cstring>

#include "verifier/elf/reader.h"

namespace wheelcheck::elf {

std::optional<std::uint32_t> ElfReader::string_length(std::string_view table, Bytes strings,
                                                      std::uint64_t table_offset,
                                                      std::uint64_t name, std::string_view owner,
                                                      std::uint64_t owner_index) {
  const auto complain = [&](const std::string& what) {
    fail(table,
         "the name of " + std::string(owner) + " " + std::to_string(owner_index) + " " + what,
         table_offset + std::min<std::uint64_t>(name, strings.size()));
    return std::nullopt;
  };
  if (name >= strings.size()) {
    // Offset 0 of an absent table is the customary "no name".
    if (name == 0 && strings.empty()) return 0;
    return complain("starts at " + std::to_string(name) + ", beyond the table's " +
                    std::to_string(strings.size()) + " bytes");
  }
  const std::size_t left = strings.size() - static_cast<std::size_t>(name);
  const std::size_t looked = std::min<std::size_t>(left, std::size_t{budget_.name_bytes} + 1);
  const std::byte* start = strings.data() + name;
  const void* end = std::memchr(start, 0, looked);
  const std::size_t length =
      end == nullptr ? looked
                     : static_cast<std::size_t>(static_cast<const std::byte*>(end) - start);
  total_name_bytes_ += length;
  if (end == nullptr) {
    return complain(looked == left ? "has no terminator inside the table"
                                   : "is longer than the reader allows (" +
                                         std::to_string(budget_.name_bytes) + " bytes)");
  }
  if (total_name_bytes_ > budget_.total_name_bytes) {
    return complain("brings the lengths of all names over what the reader allows (" +
                    std::to_string(budget_.total_name_bytes) + " bytes)");
  }
  return static_cast<std::uint32_t>(length);
}

std::optional<std::string> ElfReader::copy_string(std::string_view table, Bytes strings,
                                                  std::uint64_t table_offset, std::uint64_t name,
                                                  std::string_view owner,
                                                  std::uint64_t owner_index) {
  const auto length = string_length(table, strings, table_offset, name, owner, owner_index);
  if (!length || !charge_copy(table, *length)) return std::nullopt;
  if (*length == 0) return std::string();
  return std::string(as_text(strings.subspan(static_cast<std::size_t>(name), *length)));
}

bool ElfReader::charge_copy(std::string_view table, std::uint64_t size) {
  copied_bytes_ += size;
  if (copied_bytes_ <= budget_.copied_bytes) return true;
  fail(table, "its texts add up to more than the reader allows (" +
                  std::to_string(budget_.copied_bytes) + " bytes)");
  return false;
}

}  // namespace wheelcheck::elf
