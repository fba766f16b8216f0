#include "rules/build_machine.h"

#include <algorithm>
#include <array>

namespace wheelcheck {

namespace {

// Where builds run. Each names what lies below it, so that "/home" alone is nobody's.
constexpr std::array<std::string_view, 18> kCertain = {"/__w/",
                                                       "/github/workspace/",
                                                       "/builds/",
                                                       "/buildbot/",
                                                       "/var/lib/jenkins/",
                                                       "/home/",
                                                       "/root/",
                                                       "/Users/",
                                                       "/project/",
                                                       "/pytorch/",
                                                       "/opt/_internal/",
                                                       "/opt/python/",
                                                       "/opt/conda/",
                                                       "/workspace/",
                                                       "/croot/",
                                                       "/build/",
                                                       "/builddir/",
                                                       "/private/var/folders/"};
constexpr std::array<std::string_view, 14> kLikely = {
    "/tmp/",  "/var/tmp/", "/private/", "/io/",   "/host/",   "/mnt/",    "/src/",
    "/work/", "/workdir/", "/data/",    "/code/", "/opt/rh/", "/github/", "/opt/hostedtoolcache/"};

constexpr std::array<std::string_view, 7> kComponents = {
    "_work", "_temp", "actions-runner", "pip-out", "cmake-out", "bazel-out", "_skbuild"};
constexpr std::array<std::string_view, 6> kComponentStarts = {
    "conda_environment_", "build-env-", "pip-build-env-",
    "pip-req-build-",     "lib.linux-", "temp.linux-"};

template <class List>
bool starts_with_any(std::string_view text, const List& list) {
  return std::any_of(list.begin(), list.end(), [&](std::string_view start) {
    return text.starts_with(start) && text.size() > start.size();
  });
}

/// Calls `test` with each component; true as soon as it says so.
template <class Test>
bool any_component(std::string_view path, Test test) {
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    if (test(path.substr(at, end - at))) return true;
    at = end + 1;
  }
  return false;
}

bool has_build_component(std::string_view path) {
  return any_component(path, [](std::string_view part) {
    return std::find(kComponents.begin(), kComponents.end(), part) != kComponents.end() ||
           starts_with_any(part, kComponentStarts);
  });
}

bool is_path_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '/' ||
         c == '_' || c == '-' || c == '.' || c == '+' || c == '~' || c == '@';
}

/// Whether an absolute path begins at `at`: not inside of a word, nor behind "${prefix}".
bool begins_path(std::string_view line, std::size_t at) {
  if (at == 0) return true;
  const char before = line[at - 1];
  if (before == '}' || before == ')' || before == '>' || before == '%') return false;
  if (!is_path_character(before)) return true;
  const bool flag = at >= 2 && line[at - 2] == '-' && (before == 'I' || before == 'L');
  return flag && (at == 2 || !is_path_character(line[at - 3]));
}

}  // namespace

bool is_build_machine_path_in_text(std::string_view path) {
  return path.starts_with('/') && (starts_with_any(path, kCertain) || has_build_component(path));
}

bool is_build_machine_path(std::string_view path) {
  if (is_build_machine_path_in_text(path)) return true;
  if (!path.starts_with('/')) return false;
  // A site-packages of somewhere else is as much the builder's as a checkout.
  return starts_with_any(path, kLikely) || any_component(path, [](std::string_view part) {
           return part == "site-packages" || part == "dist-packages";
         });
}

bool is_system_directory(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  if (path.starts_with("/usr/local/")) path.remove_prefix(10);
  if (path.starts_with("/usr/")) path.remove_prefix(4);
  if (path == "/lib" || path == "/lib64" || path == "/lib32" || path == "/libx32") return true;
  const bool multiarch = path.starts_with("/lib/") && path.find("-linux-") != path.npos &&
                         path.find('/', 5) == path.npos;
  return multiarch;
}

bool is_mkl_leftover(std::string_view path) {
  while (path.size() > 1 && path.ends_with('/')) path.remove_suffix(1);
  return path == "/lib/intel64" || path == "/lib/intel64_win" || path == "/lib/win-x64";
}

std::vector<TextPath> build_machine_paths(std::string_view text, std::string_view comment) {
  std::vector<TextPath> found;
  std::uint32_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    if (!comment.empty()) line = line.substr(0, std::min(line.find(comment), line.size()));
    for (std::size_t slash = line.find('/'); slash != line.npos;
         slash = line.find('/', slash + 1)) {
      if (!begins_path(line, slash)) continue;
      std::size_t stop = slash;
      while (stop < line.size() && is_path_character(line[stop])) ++stop;
      const std::string_view path = line.substr(slash, stop - slash);
      if (is_build_machine_path_in_text(path)) found.push_back({std::string(path), number});
    }
  }
  return found;
}

}  // namespace wheelcheck
