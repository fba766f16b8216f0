#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace wheelcheck::harness {

/// What is loaded with a library, in the order of loading: the name by which it was asked for, and
/// its file below site-packages; "" for one of the system, "not found" for none.
using Loaded = std::vector<std::pair<std::string, std::string>>;

/// What ld.so of this machine says of `library` (ldd), in an empty environment. The kernel's own
/// object and the loader are left out. `site` is where packages are installed.
[[nodiscard]] Loaded loaded_by_system(const std::filesystem::path& library,
                                      const std::filesystem::path& site);

/// Of what `ldd` printed.
[[nodiscard]] Loaded parse_ldd(const std::string& text, const std::string& site);

/// What `wheelcheck tree` says, by the path below site-packages of what is opened first:
/// extensions, programs and libraries that no other loads. `command`: the program, "tree" and its
/// arguments. Throws std::runtime_error with the output where that is no answer.
[[nodiscard]] std::map<std::string, Loaded> trees_of_wheelcheck(std::vector<std::string> command);

/// What `wheelcheck why` says of the NEEDED entries of one library, which is `file` below
/// site-packages; `command` as above.
[[nodiscard]] Loaded needs_of_wheelcheck(std::vector<std::string> command, const std::string& file);

/// Only what lies below site-packages, or is not found.
[[nodiscard]] Loaded without_system(Loaded loaded);

/// Those of `loaded` whose names are in `names`, in the order of `names`.
[[nodiscard]] Loaded only(const Loaded& loaded, const Loaded& names);

}  // namespace wheelcheck::harness
