#include "rules/glob.h"

#include <algorithm>
#include <cstddef>

namespace wheelcheck {
namespace {

/// One component against a pattern without '/'. Linear memory, no recursion: on a mismatch the
/// last '*' takes one more character.
bool component_match(std::string_view pattern, std::string_view text) {
  std::size_t p = 0;
  std::size_t t = 0;
  std::size_t star = std::string_view::npos;
  std::size_t retry = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      retry = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p;
      ++t;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      t = ++retry;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

struct Split {
  std::string_view head;
  std::string_view rest;
  bool last;
};
Split split(std::string_view path) {
  const auto slash = path.find('/');
  if (slash == std::string_view::npos) return {path, {}, true};
  return {path.substr(0, slash), path.substr(slash + 1), false};
}

/// What stands before the first wildcard and behind the last one is in every match. Most patterns
/// are told apart from most paths by that alone.
bool literal_ends_match(std::string_view pattern, std::string_view path) {
  const auto is_wildcard = [](char c) { return c == '*' || c == '?'; };
  for (std::size_t i = 0; i < pattern.size() && !is_wildcard(pattern[i]); ++i) {
    if (i == path.size() || path[i] != pattern[i]) return false;
  }
  for (std::size_t i = 1; i <= pattern.size() && !is_wildcard(pattern[pattern.size() - i]); ++i) {
    // "**/x" matches "x" too: the '/' of a "**" need not be there.
    if (pattern[pattern.size() - i] == '/') break;
    if (i > path.size() || path[path.size() - i] != pattern[pattern.size() - i]) return false;
  }
  return true;
}

/// Component by component.
bool components_match(std::string_view pattern, std::string_view path) {
  for (;;) {
    const Split p = split(pattern);
    if (p.head == "**") {
      if (p.last) return !path.empty();
      // Depth of recursion is the number of "**" in a pattern, which the policy files bound.
      for (std::string_view rest = path;;) {
        if (components_match(p.rest, rest)) return true;
        const Split s = split(rest);
        if (s.last) return false;
        rest = s.rest;
      }
    }
    const Split s = split(path);
    if (!component_match(p.head, s.head)) return false;
    if (p.last || s.last) return p.last && s.last;
    pattern = p.rest;
    path = s.rest;
  }
}

}  // namespace

bool glob_match(std::string_view pattern, std::string_view path) {
  return literal_ends_match(pattern, path) && components_match(pattern, path);
}

bool matches_any(std::span<const std::string> patterns, std::string_view path) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return glob_match(pattern, path); });
}

}  // namespace wheelcheck
