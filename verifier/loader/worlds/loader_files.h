#pragma once

#include <functional>
#include <string>
#include <vector>

#include "verifier/core/result.h"
#include "verifier/loader/worlds/world.h"

namespace wheelcheck::worlds {

/// Name of a world's ld.so.cache, below its root.
inline constexpr const char* kCacheName = "w.cache";

/// ld.so with other built-in paths.
struct ChangedLoader {
  std::string code;
  std::vector<std::string> directories;  ///< instead of the built-in ones, as long, with a slash
};
/// What a path in the place of a default directory must look like.
struct PathShape {
  std::size_t length = 0;
  std::string head;  ///< it begins with this,
  std::string tail;  ///< and ends with this
};
/// Puts other paths of the same length in the place of /etc/ld.so.cache (kCacheName in the working
/// directory) and of the default directories, also where a compiler made instructions of them:
/// glibc 2.39 of Ubuntu compares with constants of eight bytes. `make_directory` makes up the one
/// in the place of the directory of that index, absolute and with a slash at the end. Nothing but
/// these strings changes.
[[nodiscard]] Result<ChangedLoader> with_other_paths(
    std::string code, const std::string& where,
    const std::function<std::string(std::size_t, const PathShape&)>& make_directory);

/// The default directories that are built into a loader; empty when none of the known lists is.
[[nodiscard]] std::vector<std::string> built_in_directories(const std::string& code);

/// Symbolic links in /tmp whose names have a given length, as ld.so has room for no others.
/// Removed again when this goes.
class ShortLinks {
 public:
  ShortLinks() = default;
  ~ShortLinks();
  ShortLinks(const ShortLinks&) = delete;
  ShortLinks& operator=(const ShortLinks&) = delete;
  /// "/tmp/k3x/", which leads to `target`; a path that is not there when the shape has no room for
  /// one.
  std::string make(const PathShape& shape, const std::string& target);
  [[nodiscard]] const std::vector<std::string>& paths() const { return paths_; }

 private:
  std::vector<std::string> paths_;
};

/// An ld.so.cache of the current format, for x86-64.
[[nodiscard]] std::string cache_file(std::vector<CachedPath> entries);

/// Path of the libc.so.6 that this process runs with; empty when it has none.
[[nodiscard]] std::string own_libc();

}  // namespace wheelcheck::worlds
