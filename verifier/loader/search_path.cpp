#include "verifier/loader/search_path.h"

#include <algorithm>

namespace wheelcheck {

namespace {

// What most systems put in place of the tokens. A search path that holds them is reported as not
// portable, whatever the tree has below these names.
constexpr std::string_view kLib = "lib64";
constexpr std::string_view kPlatform = "x86_64";

bool continues_name(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/// Length of the token `name` (with its braces) at `text`, which starts behind the '$'; or 0.
/// Greedy as in glibc: a longer name is another name, "$ORIGINAL" is no "$ORIGIN".
std::size_t token_length(std::string_view text, std::string_view name) {
  const bool braces = text.starts_with('{');
  std::string_view rest = braces ? text.substr(1) : text;
  if (!rest.starts_with(name)) return 0;
  const char next = rest.size() > name.size() ? rest[name.size()] : '\0';
  if (braces ? next != '}' : continues_name(next)) return 0;
  return name.size() + (braces ? 2 : 0);
}

std::string unknown_token(std::string_view text) {  // starts at the '$'
  std::size_t end = 1;
  const bool braces = text.size() > 1 && text[1] == '{';
  if (braces) {
    end = text.find('}');
    return std::string(text.substr(0, end == std::string_view::npos ? text.size() : end + 1));
  }
  while (end < text.size() && continues_name(text[end])) ++end;
  return std::string(text.substr(0, end));
}

PathElement expand_glibc(std::string_view raw, std::string_view origin) {
  PathElement element;
  element.raw = raw;
  for (std::size_t at = 0; at < raw.size();) {
    if (raw[at] != '$') {
      element.path += raw[at++];
      continue;
    }
    const std::string_view behind = raw.substr(at + 1);
    std::size_t length = 0;
    if ((length = token_length(behind, "ORIGIN")) != 0) {
      element.path += origin;
      element.has_origin = true;
    } else if ((length = token_length(behind, "PLATFORM")) != 0) {
      element.path += kPlatform;
      element.varies = true;
    } else if ((length = token_length(behind, "LIB")) != 0) {
      element.path += kLib;
      element.varies = true;
    } else {
      element.unknown_tokens.push_back(unknown_token(raw.substr(at)));
      element.path += '$';
    }
    at += 1 + length;
  }
  return element;
}

/// musl knows $ORIGIN alone, compares no further than its letters, and gives up the whole string
/// over any other '$'.
PathElement expand_musl(std::string_view raw, std::string_view origin) {
  PathElement element;
  element.raw = raw;
  for (std::size_t at = 0; at < raw.size();) {
    if (raw[at] != '$') {
      element.path += raw[at++];
      continue;
    }
    const std::string_view rest = raw.substr(at);
    if (rest.starts_with("${ORIGIN}") || rest.starts_with("$ORIGIN")) {
      element.path += origin;
      element.has_origin = true;
      at += rest[1] == '{' ? std::size_t{9} : std::size_t{7};
    } else {
      element.unknown_tokens.push_back(unknown_token(rest));
      element.path += raw[at++];
    }
  }
  return element;
}

void strip_trailing_slashes(std::string& path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
}

}  // namespace

PathElement expand_path(LoaderKind loader, std::string_view raw, std::string_view origin) {
  if (loader == LoaderKind::musl) {
    PathElement element;  // musl replaces nothing in NEEDED
    element.raw = raw;
    element.path = raw;
    return element;
  }
  return expand_glibc(raw, origin);
}

std::vector<PathElement> split_search_path(LoaderKind loader, std::string_view raw,
                                           std::string_view origin) {
  std::vector<PathElement> elements;
  if (raw.empty()) return elements;  // glibc ignores a string that is wholly empty
  const bool musl = loader == LoaderKind::musl;
  const std::string_view separators = musl ? ":\n" : ":";
  for (std::size_t at = 0; at <= raw.size();) {
    const std::size_t end = std::min(raw.find_first_of(separators, at), raw.size());
    const std::string_view part = raw.substr(at, end - at);
    at = end + 1;
    PathElement element = musl ? expand_musl(part, origin) : expand_glibc(part, origin);
    if (part.empty()) {
      element.is_working_directory = !musl;
      element.ignored = musl;
    } else if (element.path.empty()) {
      element.ignored = true;  // nothing left after expansion
    }
    strip_trailing_slashes(element.path);
    elements.push_back(std::move(element));
  }
  if (musl) {
    const bool given_up = std::any_of(elements.begin(), elements.end(), [](const PathElement& e) {
      return !e.unknown_tokens.empty();
    });
    if (given_up) {
      for (PathElement& element : elements) element.ignored = true;
    }
  }
  return elements;
}

std::string normalise_path(std::string_view path) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    at = end + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (!parts.empty()) parts.pop_back();
      continue;
    }
    parts.push_back(part);
  }
  std::string normal;
  for (const std::string_view part : parts) {
    normal += '/';
    normal += part;
  }
  return normal.empty() ? "/" : normal;
}

std::string_view directory_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string_view::npos) return {};
  return slash == 0 ? path.substr(0, 1) : path.substr(0, slash);
}

std::string_view base_name_of(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

}  // namespace wheelcheck
