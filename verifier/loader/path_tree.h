#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace wheelcheck {

/// What a path leads to.
enum class PathKind {
  absent,
  directory,
  file,
  loop  ///< more symbolic links than the kernel follows
};
struct PathLookup {
  PathKind kind = PathKind::absent;
  std::size_t file = 0;  ///< the number the file was added with, when kind is `file`
};

/// Directories, files and symbolic links in memory. Paths are followed as a Linux kernel follows
/// them, component by component: `..` behind a directory that does not exist leads nowhere, and
/// `..` behind a symbolic link leads to the parent of what it points to.
class PathTree {
 public:
  /// Room for so many files more.
  void reserve(std::size_t files) { nodes_.reserve(nodes_.size() + files); }
  /// Makes the directories on the way and the file. False: something else stands in the way; what
  /// came first stays.
  bool add_file(std::string_view path, std::size_t file);
  void add_directory(std::string_view path);
  bool add_link(std::string_view path, std::string_view target);

  /// `path` is absolute.
  [[nodiscard]] PathLookup look_up(std::string_view path) const;
  /// Whether `wanted` is true of the number of a file at `path` or below it, with no link followed.
  [[nodiscard]] bool any_file_below(std::string_view path,
                                    const std::function<bool(std::size_t)>& wanted) const;
  /// Names in a directory, sorted; empty when it is none.
  [[nodiscard]] std::vector<std::string> list(std::string_view directory) const;

 private:
  static constexpr std::size_t kNone = static_cast<std::size_t>(-1);
  struct Node {
    std::map<std::string, std::size_t, std::less<>> children;
    std::size_t parent = 0;
    std::size_t file = kNone;
    std::optional<std::string> link;
    [[nodiscard]] bool is_directory() const { return file == kNone && !link; }
  };
  struct Walk {
    PathKind kind = PathKind::absent;
    std::size_t node = 0;
  };

  [[nodiscard]] Walk walk(std::string_view path) const;
  /// The node of a new last component; nothing where one is already or the way is barred.
  [[nodiscard]] std::optional<std::size_t> add(std::string_view path);
  [[nodiscard]] std::optional<std::size_t> child_directory(std::size_t node, std::string_view name);
  /// The node of a directory, made where it was missing; nothing when the way is barred.
  [[nodiscard]] std::optional<std::size_t> directory_of(std::string_view path);

  std::vector<Node> nodes_{Node{}};
  std::string last_directory_;  ///< what directory_of was asked for last
  std::size_t last_node_ = 0;
};

}  // namespace wheelcheck
