#include "verifier/loader/path_tree.h"

#include <algorithm>

namespace wheelcheck {

namespace {

constexpr int kLinksFollowed = 40;  // MAXSYMLINKS of the kernel

/// The next non-empty component at `at`, which moves behind it; empty at the end.
std::string_view next_component(std::string_view path, std::size_t& at) {
  while (at < path.size() && path[at] == '/') ++at;
  const std::size_t end = std::min(path.find('/', at), path.size());
  const std::string_view part = path.substr(at, end - at);
  at = end;
  return part;
}

}  // namespace

std::optional<std::size_t> PathTree::child_directory(std::size_t node, std::string_view name) {
  auto& children = nodes_[node].children;
  auto child = children.find(name);
  if (child == children.end()) {
    child = children.emplace_hint(child, std::string(name), nodes_.size());
    const std::size_t next = child->second;
    nodes_.push_back({{}, node, kNone, std::nullopt});  // `children` may have moved
    return next;
  }
  if (nodes_[child->second].is_directory()) return child->second;
  return std::nullopt;
}

std::optional<std::size_t> PathTree::directory_of(std::string_view path) {
  // Files of a wheel mostly come directory by directory.
  if (path == last_directory_) return last_node_;
  std::size_t node = 0;
  for (std::size_t at = 0;;) {
    const std::string_view part = next_component(path, at);
    if (part.empty()) break;
    if (part == "." || part == "..") return std::nullopt;  // no installer lays that down
    const auto next = child_directory(node, part);
    if (!next) return std::nullopt;
    node = *next;
  }
  last_directory_ = path;
  last_node_ = node;
  return node;
}

std::optional<std::size_t> PathTree::add(std::string_view path) {
  while (path.ends_with('/')) path.remove_suffix(1);
  const std::size_t slash = path.rfind('/');
  const std::string_view last = slash == path.npos ? path : path.substr(slash + 1);
  if (last.empty() || last == "." || last == "..") return std::nullopt;
  const auto node = directory_of(path.substr(0, path.size() - last.size()));
  if (!node) return std::nullopt;
  const auto [child, added] = nodes_[*node].children.try_emplace(std::string(last), nodes_.size());
  if (!added) return std::nullopt;
  const std::size_t made = child->second;
  nodes_.push_back({{}, *node, kNone, std::nullopt});
  return made;
}

bool PathTree::add_file(std::string_view path, std::size_t file) {
  const auto node = add(path);
  if (node) nodes_[*node].file = file;
  return node.has_value();
}

bool PathTree::add_link(std::string_view path, std::string_view target) {
  const auto node = add(path);
  if (node) nodes_[*node].link = std::string(target);
  return node.has_value();
}

void PathTree::add_directory(std::string_view path) {
  std::optional<std::size_t> node = 0;
  for (std::size_t at = 0; node;) {
    const std::string_view part = next_component(path, at);
    if (part.empty()) return;
    node = child_directory(*node, part);
  }
}

PathTree::Walk PathTree::walk(std::string_view path) const {
  std::size_t node = 0;
  int links = 0;
  std::string followed;  // what is left of the path behind the link followed last
  std::string_view rest = path;
  for (std::size_t at = 0;;) {
    const std::string_view part = next_component(rest, at);
    if (part.empty()) break;
    const Node& here = nodes_[node];
    if (!here.is_directory()) return {};  // a component of the path is a file
    if (part == ".") continue;
    if (part == "..") {
      node = here.parent;
      continue;
    }
    const auto child = here.children.find(part);
    if (child == here.children.end()) return {};
    const Node& next = nodes_[child->second];
    if (!next.link) {
      node = child->second;
      continue;
    }
    if (++links > kLinksFollowed) return {PathKind::loop, 0};
    std::string then = *next.link + std::string(rest.substr(at));
    followed = std::move(then);
    rest = followed;
    at = 0;
    if (rest.starts_with('/')) node = 0;
  }
  if (nodes_[node].is_directory()) return {PathKind::directory, node};
  if (rest.ends_with('/')) return {};
  return {PathKind::file, node};
}

PathLookup PathTree::look_up(std::string_view path) const {
  const Walk there = walk(path);
  return {there.kind, there.kind == PathKind::file ? nodes_[there.node].file : 0};
}

bool PathTree::any_file_below(std::string_view path,
                              const std::function<bool(std::size_t)>& wanted) const {
  std::size_t top = 0;
  for (std::size_t at = 0;;) {
    const std::string_view part = next_component(path, at);
    if (part.empty()) break;
    const auto child = nodes_[top].children.find(part);
    if (child == nodes_[top].children.end()) return false;
    top = child->second;
  }
  std::vector<std::size_t> left{top};
  while (!left.empty()) {
    const Node& node = nodes_[left.back()];
    left.pop_back();
    if (node.file != kNone && wanted(node.file)) return true;
    for (const auto& [name, child] : node.children) left.push_back(child);
  }
  return false;
}

std::vector<std::string> PathTree::list(std::string_view directory) const {
  std::vector<std::string> names;
  const Walk there = walk(directory);
  if (there.kind != PathKind::directory) return names;
  for (const auto& [name, child] : nodes_[there.node].children) names.push_back(name);
  return names;
}

}  // namespace wheelcheck
