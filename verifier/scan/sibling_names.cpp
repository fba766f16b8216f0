#include "verifier/scan/sibling_names.h"

#include <algorithm>
#include <cstring>

namespace wheelcheck {

namespace {

constexpr std::string_view kMark = ".so";
constexpr std::size_t kLongestName = 255;  // of a file

bool is_name_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-' || c == '+' || c == '.';
}

}  // namespace

bool is_library_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  const std::string_view name = slash == path.npos ? path : path.substr(slash + 1);
  const std::size_t mark = name.rfind(kMark);
  if (mark == name.npos || mark == 0 || name.size() > kLongestName) return false;
  const std::string_view rest = name.substr(mark + kMark.size());
  return rest.empty() ||
         (rest[0] == '.' && rest.find_first_not_of("0123456789.") == std::string_view::npos);
}

void SiblingScanner::scan(std::string_view text, bool from_start) {
  std::size_t at = 0;
  while (at < text.size()) {
    const void* found = ::memmem(text.data() + at, text.size() - at, kMark.data(), kMark.size());
    if (found == nullptr) return;
    const auto mark = static_cast<std::size_t>(static_cast<const char*>(found) - text.data());
    std::size_t begin = mark;
    while (begin > 0 && mark - begin < kLongestName && is_name_character(text[begin - 1])) --begin;
    std::size_t end = mark + kMark.size();
    while (end < text.size() && end - begin <= kLongestName && is_name_character(text[end])) ++end;
    at = end;
    if (end == text.size() || text[end] != '\0') continue;
    const bool whole = begin == 0 ? from_start : text[begin - 1] == '\0' || text[begin - 1] == '/';
    if (!whole) continue;
    const auto known = names_.find(text.substr(begin, end - begin));
    if (known != names_.end()) seen_.insert(*known);
  }
}

void SiblingScanner::consume(Bytes chunk) {
  const std::string_view text = as_text(chunk);
  // A string may lie across: once more with the ends of both.
  std::string bridge = tail_;
  bridge += text.substr(0, kLongestName + 1);
  scan(bridge, at_start_);
  if (text.size() > kLongestName) {
    scan(text, false);
    tail_ = text.substr(text.size() - kLongestName - 1);
    at_start_ = false;
  } else {
    at_start_ = at_start_ && bridge.size() <= kLongestName + 1;
    const std::size_t kept = std::min(bridge.size(), kLongestName + 1);
    tail_ = bridge.substr(bridge.size() - kept);
  }
}

void SiblingScanner::skip() {
  tail_.clear();
  at_start_ = true;
}

std::vector<std::string> SiblingScanner::finish() const { return {seen_.begin(), seen_.end()}; }

}  // namespace wheelcheck
