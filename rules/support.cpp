#include "rules/support.h"

#include <algorithm>
#include <utility>

#include "verifier/wheel/text.h"

namespace wheelcheck {

Finding make_finding(const CatalogueRow& row, std::string place, std::string subject,
                     std::string what) {
  Finding finding;
  finding.rule = &row;
  finding.level = row.level;
  finding.place = std::move(place);
  finding.subject = std::move(subject);
  finding.what = std::move(what);
  return finding;
}

Finding make_finding(const CatalogueRow& row, Level level, std::string place, std::string subject,
                     std::string what) {
  Finding finding = make_finding(row, std::move(place), std::move(subject), std::move(what));
  finding.level = std::min(level, row.level);
  return finding;
}

std::string_view base_name(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view directory_name(std::string_view path) {
  const auto slash = path.rfind('/');
  return slash == std::string_view::npos ? std::string_view() : path.substr(0, slash);
}

std::string join(const std::vector<std::string>& items, std::string_view separator,
                 std::size_t limit) {
  std::string text;
  for (std::size_t i = 0; i < items.size() && i < limit; ++i) {
    if (i != 0) text += separator;
    text += items[i];
  }
  if (items.size() > limit) text += " and " + std::to_string(items.size() - limit) + " more";
  return text;
}

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  if (text.empty()) return words;  // as of most lines of a policy file
  for (const std::string_view word : text::split(text, ' ')) {
    if (!word.empty()) words.emplace_back(word);
  }
  return words;
}

std::string counted(std::uint64_t count, std::string_view noun) {
  return std::to_string(count) + " " + std::string(noun) + (count == 1 ? "" : "s");
}

std::vector<const MemberFacts*> elf_members(const WheelFacts& wheel) {
  std::vector<const MemberFacts*> members;
  for (const MemberFacts& member : wheel.members) {
    if (member.elf) members.push_back(&member);
  }
  return members;
}

const std::string& installed_path(const MemberFacts& member) {
  return member.install.path.empty() ? member.entry.path : member.install.path;
}

bool is_library(const ElfFacts& elf) {
  constexpr std::uint64_t kPie = 0x8000000;
  return elf.type == 3 && elf.has_dynamic && !elf.interpreter && (elf.dt_flags_1 & kPie) == 0;
}

}  // namespace wheelcheck
