#include "verifier/scan/build_paths.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>
#include <utility>

namespace wheelcheck {

namespace {

using Place = BuildPathPlace;

// Components first: they are what only a build machine has. Prefixes go from particular to common.
constexpr BuildPathPattern kPatterns[] = {
    {"ci-work", "_work", Place::component},
    {"ci-work", "_temp", Place::component},
    {"ci-work", "actions-runner", Place::component},
    {"build-folder", "pip-out", Place::component},
    {"build-folder", "cmake-out", Place::component},
    {"build-folder", "bazel-out", Place::component},
    {"build-folder", "lib.linux-", Place::component_prefix},
    {"build-folder", "temp.linux-", Place::component_prefix},
    {"build-environment", "conda_environment_", Place::component_prefix},
    {"build-environment", "pip-build-env-", Place::component_prefix},
    {"build-environment", "pip-req-build-", Place::component_prefix},
    {"build-environment", "build-env-", Place::component_prefix},
    {"ci-work", "/__w/", Place::prefix},
    {"ci-work", "/github/workspace/", Place::prefix},
    {"ci-work", "/builds/", Place::prefix},
    {"ci-work", "/workspace/", Place::prefix},
    {"ci-work", "/var/lib/jenkins/", Place::prefix},
    {"ci-work", "/buildbot/", Place::prefix},
    {"ci-work", "/Users/runner/", Place::prefix},
    {"home", "/home/", Place::prefix},
    {"home", "/Users/", Place::prefix},
    {"home", "/root/", Place::prefix},
    {"container", "/project/", Place::prefix},
    {"container", "/io/", Place::prefix},
    {"container", "/pytorch/", Place::prefix},
    {"container", "/build/", Place::prefix},
    {"container", "/opt/python/", Place::prefix},
    {"container", "/opt/rh/", Place::prefix},
    {"container", "/opt/conda/", Place::prefix},
    {"container", "/opt/_internal/", Place::prefix},
    {"tmp", "/tmp/", Place::prefix},
    {"tmp", "/var/tmp/", Place::prefix},
    {"tmp", "/private/var/folders/", Place::prefix},
    {"cuda-toolkit", "/usr/local/cuda", Place::prefix},
};

constexpr std::size_t kLongestPath = 200;  // as kept
constexpr std::size_t kLookBack = 8;       // bytes before a path that tell whether it begins there
constexpr std::size_t kExamplesOfAPattern = 4;

/// Characters that a path run is made of.
constexpr std::array<bool, 256> make_path_characters() {
  std::array<bool, 256> table{};
  for (unsigned c = 'a'; c <= 'z'; ++c) table[c] = true;
  for (unsigned c = 'A'; c <= 'Z'; ++c) table[c] = true;
  for (unsigned c = '0'; c <= '9'; ++c) table[c] = true;
  for (const char c : {'/', '_', '-', '.', '+', '~', '@'}) {
    table[static_cast<unsigned char>(c)] = true;
  }
  return table;
}
constexpr std::array<bool, 256> kPathCharacter = make_path_characters();

bool is_path_character(char c) { return kPathCharacter[static_cast<unsigned char>(c)]; }

/// Characters that a component may begin with, so that "//" and "/*" cost nothing.
bool begins_component(char c) { return is_path_character(c) && c != '/' && c != '-' && c != '~'; }

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

/// Whether an absolute path begins at the '/' at `at`, judging by what stands before it.
bool begins_path(std::string_view window, std::size_t at) {
  if (at == 0) return true;
  const char before = window[at - 1];
  if (before == '/') {
    // file:///home/...
    return at >= 7 && window.substr(at - 7, 7) == "file://";
  }
  // "${prefix}/lib" and "$(prefix)/lib" are relative to something.
  if (before == '}' || before == ')' || before == '>' || before == '%') return false;
  if (!is_path_character(before)) return true;
  // -I/home/..., -L/home/...
  return at >= 2 && is_letter(before) && window[at - 2] == '-' &&
         (at == 2 || !is_path_character(window[at - 3]));
}

bool matches_component(std::string_view path, const BuildPathPattern& pattern) {
  const std::string_view text = pattern.text;
  for (std::size_t at = path.find(text); at != std::string_view::npos;
       at = path.find(text, at + 1)) {
    if (path[at - (at == 0 ? 0 : 1)] != '/') continue;
    const std::size_t end = at + text.size();
    if (pattern.place == Place::component_prefix || end == path.size() || path[end] == '/') {
      return true;
    }
  }
  return false;
}

bool matches(std::string_view path, const BuildPathPattern& pattern) {
  const std::string_view text = pattern.text;
  if (pattern.place != Place::prefix) return matches_component(path, pattern);
  if (!path.starts_with(text)) return false;
  // "/tmp/" alone names a directory that every machine has.
  return !text.ends_with('/') || (path.size() > text.size() && path[text.size()] != '/');
}

const BuildPathPattern* find_pattern(std::string_view path) {
  for (const BuildPathPattern& pattern : kPatterns) {
    if (matches(path, pattern)) return &pattern;
  }
  return nullptr;
}

std::string_view path_at(std::string_view window, std::size_t at) {
  std::size_t end = at;
  while (end < window.size() && end - at < kLongestPath && is_path_character(window[end])) ++end;
  std::string_view path = window.substr(at, end - at);
  // The full stop of a sentence is not part of it.
  while (path.ends_with('.')) path.remove_suffix(1);
  return path;
}

std::uint32_t count_lines(std::string_view text) {
  return static_cast<std::uint32_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

std::span<const BuildPathPattern> build_path_patterns() { return kPatterns; }

void BuildPathScanner::record(std::string_view path, const BuildPathPattern& pattern,
                              std::uint64_t offset, std::string_view window, std::size_t at) {
  ++facts_.count;
  std::uint64_t& seen = facts_.by_pattern[pattern.name];
  ++seen;
  if (seen > kExamplesOfAPattern) return;
  const std::uint32_t line =
      count_lines_ ? lines_ + count_lines(window.substr(0, at)) + 1 : std::uint32_t{0};
  facts_.examples.push_back({std::string(path), offset + at, line, pattern.name});
}

void BuildPathScanner::scan(std::string_view window, std::size_t from, std::size_t until,
                            std::uint64_t offset) {
  const char* const begin = window.data();
  for (std::size_t at = from; at < until;) {
    const void* found = std::memchr(begin + at, '/', until - at);
    if (found == nullptr) return;
    at = static_cast<std::size_t>(static_cast<const char*>(found) - begin);
    if (at + 1 < window.size() && begins_component(window[at + 1]) && begins_path(window, at)) {
      const std::string_view path = path_at(window, at);
      if (const BuildPathPattern* pattern = find_pattern(path)) {
        record(path, *pattern, offset, window, at);
      }
      at += std::max<std::size_t>(path.size(), 1);
    } else {
      ++at;
    }
  }
}

void BuildPathScanner::consume(Bytes chunk) {
  const std::string_view text = as_text(chunk);
  // Where a path may begin so late that its end is in the next chunk, it is looked for then.
  // `tail_` = [looked at, for looking back][not looked at].
  const std::uint64_t tail_at = position_ - tail_.size();
  position_ += text.size();
  if (text.size() < 2 * kLongestPath) {
    tail_ += text;
    const std::size_t until = tail_.size() > kLongestPath ? tail_.size() - kLongestPath : 0;
    if (until > tail_seen_) {
      scan(tail_, tail_seen_, until, tail_at);
      tail_seen_ = until;
    }
  } else {
    const std::size_t old = tail_.size();
    const std::string bridge = tail_ + std::string(text.substr(0, kLongestPath + kLookBack));
    scan(bridge, tail_seen_, old + kLookBack, tail_at);
    // A line count that starts with the chunk must include what was before it.
    if (count_lines_) lines_ += count_lines(tail_);
    // Nothing follows the last chunk: no tail to keep, no lines to count but before a hit.
    const bool last = position_ == size_;
    scan(text, kLookBack, last ? text.size() : text.size() - kLongestPath, position_ - text.size());
    tail_.clear();
    tail_seen_ = 0;
    if (last) return;
    tail_ = text.substr(text.size() - kLongestPath - kLookBack);
    tail_seen_ = kLookBack;
    if (count_lines_) lines_ += count_lines(text.substr(0, text.size() - tail_.size()));
    return;
  }
  // Drop what is behind both.
  if (tail_seen_ > 4 * kLongestPath) {
    const std::size_t drop = tail_seen_ - kLookBack;
    if (count_lines_) lines_ += count_lines(std::string_view(tail_).substr(0, drop));
    tail_.erase(0, drop);
    tail_seen_ = kLookBack;
  }
}

void BuildPathScanner::flush() {
  scan(tail_, tail_seen_, tail_.size(), position_ - tail_.size());
  if (count_lines_) lines_ += count_lines(tail_);
  tail_.clear();
  tail_seen_ = 0;
}

void BuildPathScanner::skip(std::uint64_t size) {
  if (size == 0) return;
  flush();
  position_ += size;
}

BuildPathFacts BuildPathScanner::finish() {
  flush();
  return std::move(facts_);
}

}  // namespace wheelcheck
