#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "verifier/loader/install_tree.h"
#include "verifier/loader/machine.h"

namespace wheelcheck {

/// One element of an RPATH or RUNPATH.
struct PathElement {
  std::string raw;   ///< as written
  std::string path;  ///< tokens replaced, no trailing slash; empty for the working directory
  bool is_working_directory = false;  ///< an empty element: glibc looks where the process stands
  bool ignored = false;               ///< the loader skips it; musl: with the whole string
  bool has_origin = false;            ///< holds a token that really is $ORIGIN
  bool varies = false;                ///< holds $LIB or $PLATFORM: another value on each system
  std::vector<std::string> unknown_tokens;  ///< "$ORIGINAL": not a token, taken literally

  [[nodiscard]] bool is_absolute() const { return path.starts_with('/'); }
};

/// Splits a search path and replaces its tokens exactly as the loader does. `origin` is the
/// directory of the file that carries it. Duplicates stay: the caller reports them.
[[nodiscard]] std::vector<PathElement> split_search_path(LoaderKind loader, std::string_view raw,
                                                         std::string_view origin,
                                                         const Machine& machine = {});
/// The same for LD_LIBRARY_PATH, which glibc also splits at ';'.
[[nodiscard]] std::vector<PathElement> split_library_path(LoaderKind loader,
                                                          std::string_view origin,
                                                          const Machine& machine);

/// Replaces tokens in a NEEDED or in what dlopen is asked for.
[[nodiscard]] PathElement expand_path(LoaderKind loader, std::string_view raw,
                                      std::string_view origin, const Machine& machine = {});

/// `path` without "." and "..", by its text alone. ".." above the root stays at the root.
[[nodiscard]] std::string normalise_path(std::string_view path);
/// The part before the last slash: "/a/b" of "/a/b/c".
[[nodiscard]] std::string_view directory_of(std::string_view path);
[[nodiscard]] std::string_view base_name_of(std::string_view path);

}  // namespace wheelcheck
