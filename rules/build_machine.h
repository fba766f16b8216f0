#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wheelcheck {

/// True for an absolute path that only the machine that built the wheel has: a checkout, a home,
/// a temporary folder, an environment of the build's own.
[[nodiscard]] bool is_build_machine_path(std::string_view path);

/// The same for a path met in a text, where "/tmp/x" and "/data/x" are more often an example or a
/// default than a leftover: the places that leave no doubt.
[[nodiscard]] bool is_build_machine_path_in_text(std::string_view path);

/// Directories of the system: /lib64, /usr/lib/x86_64-linux-gnu, ...
[[nodiscard]] bool is_system_directory(std::string_view path);

/// "/lib/intel64" and its like, which torch's exported MKL flags leave in its dependents. They name
/// no build machine and no directory that exists.
[[nodiscard]] bool is_mkl_leftover(std::string_view path);

struct TextPath {
  std::string path;
  std::uint32_t line = 0;  ///< from 1
};
/// Paths of build machines in a text outside of its comments. `comment`: what starts one, up to the
/// end of the line; empty: there are none.
[[nodiscard]] std::vector<TextPath> build_machine_paths(std::string_view text,
                                                        std::string_view comment);

}  // namespace wheelcheck
