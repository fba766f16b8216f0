#include <algorithm>
#include <array>
#include <tuple>

#include "verifier/wheel/text.h"
#include "verifier/wheel/version.h"
#include "verifier/wheel/version_scanner.h"

namespace wheelcheck {

namespace {

// Longer operators stand before those they start with.
constexpr std::array<std::string_view, 8> kOperators{"===", "==", "!=", "~=", "<=", ">=", "<", ">"};

/// What one clause is made of. `end` 0: nothing was found.
struct Clause {
  std::string_view op;
  std::size_t version_start = 0;
  std::size_t end = 0;
  bool wildcard = false;
  Version version;  // not of "==="
};

/// "===" is followed by anything that cannot end a clause in a requirement.
std::size_t end_of_arbitrary(std::string_view text, std::size_t at) {
  while (at < text.size() && text[at] != ';' && text[at] != ')' && text::space_at(text, at) == 0)
    ++at;
  return at;
}

Clause scan_clause(std::string_view text, std::size_t at) {
  Clause clause;
  for (const std::string_view op : kOperators) {
    if (text.substr(at, op.size()) == op) {
      clause.op = op;
      break;
    }
  }
  if (clause.op.empty()) return {};
  clause.version_start = text::skip_spaces(text, at + clause.op.size());
  if (clause.op == "===") {
    const std::size_t end = end_of_arbitrary(text, clause.version_start);
    if (end > clause.version_start) clause.end = end;
    return clause;
  }
  const bool equality = clause.op == "==" || clause.op == "!=";
  VersionScanner scanner(text, clause.version_start);
  if (!scanner.scan_release(clause.version)) return {};
  if (clause.op == "~=" && clause.version.release().size() < 2) return {};
  if (equality && scanner.take(".*")) {
    clause.wildcard = true;
  } else {
    scanner.scan_suffix(clause.version);
    if (equality) scanner.scan_local(clause.version);
  }
  clause.end = scanner.at();
  return clause;
}

}  // namespace

std::optional<std::size_t> Specifier::length_at(std::string_view text, std::size_t at) {
  if (at >= text.size()) return std::nullopt;
  const Clause clause = scan_clause(text, at);
  if (clause.end == 0) return std::nullopt;
  return clause.end - at;
}

Result<Specifier> Specifier::parse(std::string_view text) {
  const std::size_t start = text::skip_spaces(text, 0);
  Clause clause = start < text.size() ? scan_clause(text, start) : Clause{};
  if (clause.end == 0 || text::skip_spaces(text, clause.end) != text.size())
    return Error{"specifier", text::quoted(text) + " is not a version specifier", std::nullopt};
  Specifier specifier;
  specifier.op_ = clause.op;
  specifier.version_ = text.substr(clause.version_start, clause.end - clause.version_start);
  specifier.wildcard_ = clause.wildcard;
  if (specifier.op_ == "===") {
    if (auto version = Version::parse(specifier.version_)) specifier.parsed_ = *std::move(version);
  } else {
    specifier.parsed_ = std::move(clause.version);
  }
  return specifier;
}

bool Specifier::contains(const Version& v) const {
  if (op_ == "===") return text::equal_ignoring_case(v.str(), version_);
  if (!parsed_) return false;  // cannot be: every other operator has a version
  const Version& own = *parsed_;

  // The lowest version behind those that `prefix` starts: 1.2 -> 1.3.dev0.
  const auto after_prefix = [&](std::vector<std::string> prefix) {
    Version next;
    next.epoch_ = own.epoch_;
    next.release_ = std::move(prefix);
    next.release_.back() = text::decimal::increment(next.release_.back());
    next.dev_ = "0";
    return next;
  };

  if (wildcard_) {
    Version first;
    first.epoch_ = own.epoch_;
    first.release_ = own.release_;
    first.dev_ = "0";
    const bool inside = v >= first && v < after_prefix(own.release_);
    return inside == (op_ == "==");
  }
  // A clause without a local label speaks of every local version of its own.
  if (op_ == "==" || op_ == "!=") {
    const bool equal = own.local_.empty() ? v.compare_public(own) == 0 : v == own;
    return equal == (op_ == "==");
  }
  if (op_ == ">=") return v >= own;
  if (op_ == "<=") return v.compare_public(own) <= 0;
  if (op_ == "<") {
    if (own.is_prerelease()) return v < own;
    Version bound = own;  // pre-releases of it are not below it
    bound.dev_ = "0";
    return v < bound;
  }
  if (op_ == ">") {
    if (v.compare_public(own) <= 0) return false;
    if (own.dev_ || own.post_) return true;
    // Post-releases of it are not above it.
    return !(v.same_release(own) &&
             std::tie(v.pre_kind_, v.pre_number_) == std::tie(own.pre_kind_, own.pre_number_));
  }
  std::vector<std::string> prefix = own.release_;  // "~="
  prefix.pop_back();
  return v >= own && v < after_prefix(std::move(prefix));
}

bool Specifier::contains_text(std::string_view version) const {
  if (op_ == "===") return text::equal_ignoring_case(version, version_);
  const auto parsed = Version::parse(version);
  return parsed && contains(*parsed);
}

std::string Specifier::canonical() const {
  if (op_ == "===" || wildcard_ || !parsed_) return str();
  // "~=2.2.0" and "~=2.2" are different clauses: there the zeros count.
  return op_ + parsed_->str(true, op_ != "~=");
}

// --- Sets ---------------------------------------------------------------------------------------

Result<SpecifierSet> SpecifierSet::parse(std::string_view text) {
  SpecifierSet set;
  for (const std::string_view part : text::split(text, ',')) {
    const std::string_view clause = text::strip(part);
    if (clause.empty()) continue;  // as `packaging` does
    auto specifier = Specifier::parse(clause);
    if (!specifier) return std::move(specifier).error();
    set.clauses_.push_back(*std::move(specifier));
  }
  return set;
}

bool SpecifierSet::contains(const Version& version, bool prereleases) const {
  if (!prereleases && version.is_prerelease()) return false;
  return std::all_of(clauses_.begin(), clauses_.end(),
                     [&](const Specifier& clause) { return clause.contains(version); });
}

std::string SpecifierSet::str() const {
  // By text, and of clauses that mean the same the first.
  std::vector<std::pair<std::string, std::string>> parts;  // canonical, text
  parts.reserve(clauses_.size());
  for (const Specifier& clause : clauses_) parts.emplace_back(clause.canonical(), clause.str());
  std::sort(parts.begin(), parts.end());
  const auto same = [](const auto& a, const auto& b) { return a.first == b.first; };
  parts.erase(std::unique(parts.begin(), parts.end(), same), parts.end());
  std::sort(parts.begin(), parts.end(),
            [](const auto& a, const auto& b) { return a.second < b.second; });
  std::string out;
  for (const auto& [canonical, written] : parts) {
    if (!out.empty()) out += ',';
    out += written;
  }
  return out;
}

bool SpecifierSet::operator==(const SpecifierSet& other) const {
  const auto canonical = [](const SpecifierSet& set) {
    std::vector<std::string> parts;
    parts.reserve(set.clauses_.size());
    for (const Specifier& clause : set.clauses_) parts.push_back(clause.canonical());
    std::sort(parts.begin(), parts.end());
    parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
    return parts;
  };
  return canonical(*this) == canonical(other);
}

}  // namespace wheelcheck
