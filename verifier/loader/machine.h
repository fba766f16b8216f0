#pragma once

#include <bitset>
#include <compare>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace wheelcheck {

/// Single rules of the loaders. All are in force; the proof of the model switches one off at a time
/// and requires that the real loader then disagrees. Nothing else may.
enum class LoaderRule {
  // what is there already
  reuse_by_name,      ///< an object that was asked for by the same name
  reuse_by_soname,    ///< glibc: an object with that DT_SONAME
  reuse_by_path,      ///< glibc: a name with a slash that an object was opened by
  reuse_by_file,      ///< the same file under another path
  name_of_same_file,  ///< ... which is then known by the new name as well
  no_name_by_path,    ///< musl: an object opened by a path has no name until a search finds it
  breadth_first,
  filters,             ///< glibc: DT_FILTER and DT_AUXILIARY load what they stand for
  undone_when_failed,  ///< dlopen that fails takes its objects away again
  // who carries a search path
  rpath,
  rpath_inherited,       ///< glibc: from those that loaded the requester
  rpath_of_program,      ///< glibc: serves whatever dlopen brings
  opened_has_no_loader,  ///< glibc: dlopen's caller is no loader of what it opens
  caller_of_dlopen,      ///< a bare name is looked for as the caller would
  runpath,
  runpath_not_inherited,    ///< glibc
  runpath_voids_rpath,      ///< of the same object
  runpath_shuts_out_rpath,  ///< glibc: of the requester, every inherited DT_RPATH
  everything_inherited,     ///< musl: either tag, from every object up the chain
  // the order of places
  ld_library_path,
  rpath_before_ld_library_path,    ///< glibc
  ld_library_path_before_runpath,  ///< glibc; musl: before either tag
  cache,
  cache_before_directories,
  default_directories,
  nodeflib_shuts_out_cache,  ///< of default directories
  nodeflib_shuts_out_directories,
  names_of_libc,  ///< musl answers libc, libm, libpthread ... itself
  // how a search path reads
  origin,
  lib_token,
  platform_token,
  braces,
  whole_token,            ///< glibc: "$ORIGINAL" is no token
  unknown_token_stays,    ///< glibc; musl: ... gives up the whole path
  token_in_needed,        ///< glibc
  empty_element_is_here,  ///< glibc: an empty element is the working directory; musl: skipped
  empty_path_is_none,     ///< glibc
  relative_to_here,       ///< a relative element starts at the working directory
  semicolon_separates,    ///< glibc: LD_LIBRARY_PATH only
  newline_separates,      ///< musl
  // what a place holds
  hwcaps,
  hwcaps_best_first,
  slash_is_path,             ///< a name with a slash is no name to look for
  other_class_skipped,       ///< glibc
  other_machine_skipped,     ///< glibc
  anything_opened_is_taken,  ///< musl: no matter for which machine
  damaged_file_stops,        ///< glibc
  program_is_no_library,     ///< glibc
  loop_stops,                ///< a loop of links ends the list (glibc) or the whole search (musl)
  origin_by_opened_path,     ///< $ORIGIN is where the file was opened, not where it really lies
  dot_dot_is_physical,       ///< ".." behind a link leads to the parent of its target
  count_
};

using LoaderRules = std::bitset<static_cast<std::size_t>(LoaderRule::count_)>;

/// The C library's version, where its behaviour depends on it.
struct GlibcVersion {
  unsigned major = 2;
  unsigned minor = 36;
  auto operator<=>(const GlibcVersion&) const = default;
};

/// One entry of ld.so.cache.
struct CacheEntry {
  std::string name;
  std::string path;
};

/// Where the loader looks when no search path of an object has led anywhere.
struct SystemDirectories {
  std::vector<CacheEntry> cache;         ///< glibc; of several for one name the first counts
  std::vector<std::string> directories;  ///< in order; glibc: with a slash at the end, as built in
};

/// The machine and the environment a process runs in, as far as the loader cares. The defaults are
/// hermetic: nothing of the machine that checks is looked at.
struct Machine {
  GlibcVersion glibc;
  std::string ld_library_path;
  std::string working_directory;  ///< absolute; empty: not known, and nothing is found there
  std::string lib = "lib64";      ///< $LIB
  std::string platform = "x86_64";
  /// Directories that are tried below each directory of a search path, best first, each with a
  /// slash at its end. See hwcap_subdirectories().
  std::vector<std::string> subdirectories;
  /// False: system libraries are the names that the tree allows, and lie nowhere.
  bool has_system_directories = false;
  SystemDirectories system;
  LoaderRules off;

  [[nodiscard]] bool follows(LoaderRule rule) const {
    return !off.test(static_cast<std::size_t>(rule));
  }
};

/// What glibc of this version tries below each directory. `levels` are the processor's, best
/// first ("x86-64-v3"), `legacy` the names of the old scheme in its order ("tls", then the
/// platform, then capabilities: "haswell", "x86_64"); before 2.33 there are no levels, from 2.37 on
/// no legacy ones.
[[nodiscard]] std::vector<std::string> hwcap_subdirectories(GlibcVersion version,
                                                            const std::vector<std::string>& levels,
                                                            const std::vector<std::string>& legacy);

}  // namespace wheelcheck
