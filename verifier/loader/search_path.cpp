#include "verifier/loader/search_path.h"

#include <algorithm>

namespace wheelcheck {

namespace {

bool continues_name(char c) {
  return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
}

/// Length of the token `name` (with its braces) at `text`, which starts behind the '$'; or 0.
/// Greedy as in glibc: a longer name is another name, "$ORIGINAL" is no "$ORIGIN".
std::size_t token_length(std::string_view text, std::string_view name, const Machine& machine) {
  const bool braces = text.starts_with('{') && machine.follows(LoaderRule::braces);
  std::string_view rest = braces ? text.substr(1) : text;
  if (!rest.starts_with(name)) return 0;
  const char next = rest.size() > name.size() ? rest[name.size()] : '\0';
  if (braces && next != '}') return 0;
  if (!braces && continues_name(next) && machine.follows(LoaderRule::whole_token)) return 0;
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

PathElement expand_glibc(std::string_view raw, std::string_view origin, const Machine& machine) {
  PathElement element;
  element.raw = raw;
  for (std::size_t at = 0; at < raw.size();) {
    if (raw[at] != '$') {
      element.path += raw[at++];
      continue;
    }
    const std::string_view behind = raw.substr(at + 1);
    std::size_t length = 0;
    const auto is = [&](LoaderRule rule, std::string_view name) {
      length = machine.follows(rule) ? token_length(behind, name, machine) : 0;
      return length != 0;
    };
    if (is(LoaderRule::origin, "ORIGIN")) {
      element.path += origin;
      element.has_origin = true;
    } else if (is(LoaderRule::platform_token, "PLATFORM")) {
      element.path += machine.platform;
      element.varies = true;
    } else if (is(LoaderRule::lib_token, "LIB")) {
      element.path += machine.lib;
      element.varies = true;
    } else {
      element.unknown_tokens.push_back(unknown_token(raw.substr(at)));
      element.path += '$';
      element.ignored = !machine.follows(LoaderRule::unknown_token_stays);
    }
    at += 1 + length;
  }
  return element;
}

/// musl knows $ORIGIN alone, compares no further than its letters, and gives up the whole string
/// over any other '$'.
PathElement expand_musl(std::string_view raw, std::string_view origin, const Machine& machine) {
  PathElement element;
  element.raw = raw;
  for (std::size_t at = 0; at < raw.size();) {
    if (raw[at] != '$') {
      element.path += raw[at++];
      continue;
    }
    const std::string_view rest = raw.substr(at);
    const bool braces = rest.starts_with("${ORIGIN}") && machine.follows(LoaderRule::braces);
    const bool origin_token = braces || rest.starts_with("$ORIGIN");
    if (origin_token && machine.follows(LoaderRule::origin)) {
      element.path += origin;
      element.has_origin = true;
      at += braces ? std::size_t{9} : std::size_t{7};
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

std::vector<PathElement> split(LoaderKind loader, std::string_view raw, std::string_view origin,
                               const Machine& machine, std::string_view separators) {
  std::vector<PathElement> elements;
  if (raw.empty() && machine.follows(LoaderRule::empty_path_is_none)) return elements;
  const bool musl = loader == LoaderKind::musl;
  for (std::size_t at = 0; at <= raw.size();) {
    const std::size_t end = std::min(raw.find_first_of(separators, at), raw.size());
    const std::string_view part = raw.substr(at, end - at);
    at = end + 1;
    PathElement element =
        musl ? expand_musl(part, origin, machine) : expand_glibc(part, origin, machine);
    if (part.empty()) {
      const bool here = musl != machine.follows(LoaderRule::empty_element_is_here);
      element.is_working_directory = here;
      element.ignored = !here;
    } else if (element.path.empty()) {
      element.ignored = true;  // nothing left after expansion
    }
    if (!musl) strip_trailing_slashes(element.path);
    elements.push_back(std::move(element));
  }
  if (musl && machine.follows(LoaderRule::unknown_token_stays)) {
    const bool given_up = std::any_of(elements.begin(), elements.end(), [](const PathElement& e) {
      return !e.unknown_tokens.empty();
    });
    for (PathElement& element : elements) element.ignored = element.ignored || given_up;
  }
  return elements;
}

std::string_view musl_separators(const Machine& machine) {
  return machine.follows(LoaderRule::newline_separates) ? ":\n" : ":";
}

}  // namespace

PathElement expand_path(LoaderKind loader, std::string_view raw, std::string_view origin,
                        const Machine& machine) {
  if (loader == LoaderKind::musl || !machine.follows(LoaderRule::token_in_needed)) {
    PathElement element;  // musl replaces nothing in NEEDED
    element.raw = raw;
    element.path = raw;
    return element;
  }
  return expand_glibc(raw, origin, machine);
}

std::vector<PathElement> split_search_path(LoaderKind loader, std::string_view raw,
                                           std::string_view origin, const Machine& machine) {
  const bool musl = loader == LoaderKind::musl;
  return split(loader, raw, origin, machine, musl ? musl_separators(machine) : ":");
}

std::vector<PathElement> split_library_path(LoaderKind loader, std::string_view origin,
                                            const Machine& machine) {
  if (machine.ld_library_path.empty()) return {};
  if (loader == LoaderKind::musl) {  // a path of the environment is taken as it stands
    std::vector<PathElement> elements;
    const std::string_view raw = machine.ld_library_path;
    const std::string_view separators = musl_separators(machine);
    for (std::size_t at = 0; at < raw.size();) {
      const std::size_t end = std::min(raw.find_first_of(separators, at), raw.size());
      PathElement element;
      element.raw = element.path = raw.substr(at, end - at);
      element.ignored = element.path.empty();
      elements.push_back(std::move(element));
      at = end + 1;
    }
    return elements;
  }
  const bool semicolon = machine.follows(LoaderRule::semicolon_separates);
  return split(loader, machine.ld_library_path, origin, machine, semicolon ? ":;" : ":");
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
