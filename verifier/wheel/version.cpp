#include "verifier/wheel/version.h"

#include <algorithm>
#include <array>

#include "verifier/wheel/text.h"
#include "verifier/wheel/version_scanner.h"

namespace wheelcheck {

using text::decimal::compare;
using text::decimal::normalise;

// --- Reading ------------------------------------------------------------------------------------

namespace {

// Longer spellings stand before those they start with.
constexpr std::array<std::string_view, 8> kPreWords{"alpha",   "a",   "beta", "b",
                                                    "preview", "pre", "c",    "rc"};
constexpr std::array<std::string_view, 3> kPostWords{"post", "rev", "r"};
constexpr std::array<std::string_view, 1> kDevWords{"dev"};

bool is_separator(char c) { return c == '.' || c == '_' || c == '-'; }

}  // namespace

bool VersionScanner::take(std::string_view literal) {
  if (!text::equal_ignoring_case(text_.substr(std::min(at_, text_.size()), literal.size()),
                                 literal))
    return false;
  at_ += literal.size();
  return true;
}

std::string_view VersionScanner::digits() {
  const std::size_t start = at_;
  while (at_ < text_.size() && text::is_digit(text_[at_])) ++at_;
  return text_.substr(start, at_ - start);
}

void VersionScanner::separator() {
  if (at_ < text_.size() && is_separator(text_[at_])) ++at_;
}

std::string_view VersionScanner::word(const std::string_view* begin, const std::string_view* end) {
  const auto* found = std::find_if(begin, end, [&](std::string_view w) { return take(w); });
  return found == end ? std::string_view() : *found;
}

bool VersionScanner::scan_release(Version& version) {
  (void)take("v");
  std::string_view number = digits();
  if (number.empty()) return false;
  if (at_ < text_.size() && text_[at_] == '!') {
    const std::size_t mark = at_++;
    const std::string_view first = digits();
    if (first.empty()) {
      at_ = mark;  // "1!": a release, and something behind it
    } else {
      version.epoch_ = normalise(number);
      number = first;
    }
  }
  version.release_.push_back(normalise(number));
  while (at_ < text_.size() && text_[at_] == '.') {
    const std::size_t mark = at_++;
    number = digits();
    if (number.empty()) {
      at_ = mark;
      break;
    }
    version.release_.push_back(normalise(number));
  }
  return true;
}

bool VersionScanner::scan_pre(Version& version) {
  separator();
  const std::string_view found = word(kPreWords.data(), kPreWords.data() + kPreWords.size());
  if (found.empty()) return false;
  version.pre_kind_ = found.front() == 'a' ? "a" : found.front() == 'b' ? "b" : "rc";
  separator();
  version.pre_number_ = normalise(digits());
  return true;
}

bool VersionScanner::scan_post(Version& version) {
  const std::size_t start = at_;
  if (take("-")) {
    if (const std::string_view number = digits(); !number.empty()) {
      version.post_ = normalise(number);
      return true;
    }
    at_ = start;
  }
  separator();
  if (word(kPostWords.data(), kPostWords.data() + kPostWords.size()).empty()) return false;
  separator();
  version.post_ = normalise(digits());
  return true;
}

bool VersionScanner::scan_dev(Version& version) {
  separator();
  if (word(kDevWords.data(), kDevWords.data() + kDevWords.size()).empty()) return false;
  separator();
  version.dev_ = normalise(digits());
  return true;
}

void VersionScanner::scan_suffix(Version& version) {
  constexpr std::array kParts{&VersionScanner::scan_pre, &VersionScanner::scan_post,
                              &VersionScanner::scan_dev};
  for (const auto part : kParts) {
    const std::size_t start = at_;
    if (!(this->*part)(version)) at_ = start;
  }
}

void VersionScanner::scan_local(Version& version) {
  if (at_ >= text_.size() || text_[at_] != '+') return;
  std::size_t at = at_ + 1;
  for (;;) {
    const std::size_t start = at;
    bool number = true;
    for (; at < text_.size() && text::is_alnum(text_[at]); ++at)
      number = number && text::is_digit(text_[at]);
    if (at == start) return;
    const std::string_view part = text_.substr(start, at - start);
    version.local_.push_back(number ? normalise(part) : text::lower(part));
    at_ = at;
    if (at >= text_.size() || !is_separator(text_[at])) return;
    ++at;
  }
}

Result<Version> Version::parse(std::string_view text) {
  const auto invalid = [&] {
    return Error{"version", text::quoted(text) + " is not a version by PEP 440", std::nullopt};
  };
  VersionScanner scanner(text, text::skip_spaces(text, 0));
  Version version;
  if (!scanner.scan_release(version)) return invalid();
  scanner.scan_suffix(version);
  scanner.scan_local(version);
  if (text::skip_spaces(text, scanner.at()) != text.size()) return invalid();
  return version;
}

// --- Printing -----------------------------------------------------------------------------------

std::string Version::str(bool with_local, bool trim_zeros) const {
  std::string out = epoch_ == "0" ? "" : epoch_ + "!";
  std::size_t count = release_.size();
  while (trim_zeros && count > 1 && release_[count - 1] == "0") --count;
  for (std::size_t i = 0; i < count; ++i) {
    if (i != 0) out += '.';
    out += release_[i];
  }
  out += pre_kind_;
  out += pre_number_;
  if (post_) out += ".post" + *post_;
  if (dev_) out += ".dev" + *dev_;
  if (with_local && !local_.empty()) out += "+" + local();
  return out;
}

std::string Version::str() const { return str(true, false); }
std::string Version::public_part() const { return str(false, false); }

std::string Version::local() const {
  std::string out;
  for (const std::string& part : local_) {
    if (!out.empty()) out += '.';
    out += part;
  }
  return out;
}

bool Version::is_prerelease() const { return !pre_kind_.empty() || dev_; }

// --- Order --------------------------------------------------------------------------------------

namespace {

std::strong_ordering order(int difference) { return difference <=> 0; }

/// A number that may be missing; missing stands before (or after) every number.
std::strong_ordering order(const std::optional<std::string>& a, const std::optional<std::string>& b,
                           bool missing_first) {
  if (a && b) return order(compare(*a, *b));
  if (!a && !b) return std::strong_ordering::equal;
  return !a == missing_first ? std::strong_ordering::less : std::strong_ordering::greater;
}

std::strong_ordering order_releases(const std::vector<std::string>& a,
                                    const std::vector<std::string>& b) {
  for (std::size_t i = 0; i < std::max(a.size(), b.size()); ++i) {
    const auto result = order(compare(i < a.size() ? a[i] : "0", i < b.size() ? b[i] : "0"));
    if (result != 0) return result;
  }
  return std::strong_ordering::equal;
}

/// Numbers stand after words; a longer label after the shorter one that it starts with.
std::strong_ordering order_locals(const std::vector<std::string>& a,
                                  const std::vector<std::string>& b) {
  const auto is_number = [](const std::string& part) {
    return std::all_of(part.begin(), part.end(), text::is_digit);
  };
  for (std::size_t i = 0; i < std::min(a.size(), b.size()); ++i) {
    const bool number_a = is_number(a[i]);
    const bool number_b = is_number(b[i]);
    if (number_a != number_b)
      return number_b ? std::strong_ordering::less : std::strong_ordering::greater;
    const auto result = order(number_a ? compare(a[i], b[i]) : a[i].compare(b[i]));
    if (result != 0) return result;
  }
  return a.size() <=> b.size();
}

}  // namespace

bool Version::same_release(const Version& other) const {
  return epoch_ == other.epoch_ && order_releases(release_, other.release_) == 0;
}

std::strong_ordering Version::compare_public(const Version& other) const {
  if (const auto epochs = order(compare(epoch_, other.epoch_)); epochs != 0) return epochs;
  if (const auto releases = order_releases(release_, other.release_); releases != 0)
    return releases;
  // 1.0.dev1 stands before 1.0a1, and a release without a pre-release tag after 1.0rc1.
  const auto rank = [](const Version& v) {
    if (v.pre_kind_ == "a") return 1;
    if (v.pre_kind_ == "b") return 2;
    if (v.pre_kind_ == "rc") return 3;
    return v.dev_ && !v.post_ ? 0 : 4;
  };
  if (const auto kinds = rank(*this) <=> rank(other); kinds != 0) return kinds;
  if (const auto numbers = order(compare(pre_number_, other.pre_number_)); numbers != 0)
    return numbers;
  if (const auto posts = order(post_, other.post_, true); posts != 0) return posts;
  return order(dev_, other.dev_, false);
}

std::strong_ordering Version::operator<=>(const Version& other) const {
  const auto result = compare_public(other);
  return result != 0 ? result : order_locals(local_, other.local_);
}

}  // namespace wheelcheck
