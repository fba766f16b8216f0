#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/wheel/tags.h"

namespace wheelcheck {

/// What the name of a Python extension says of the interpreters that import it:
/// "_C.cpython-312-x86_64-linux-gnu.so", "_C.abi3.so", "_C.cp312-win_amd64.pyd",
/// "_C.pypy310-pp73-darwin.so", "_C.so".
struct ExtensionSuffix {
  enum class Kind {
    plain,       ///< ".so", ".pyd": any interpreter imports it; it may be no extension at all
    stable_abi,  ///< ".abi3.so", ".abi3t.so"
    versioned    ///< one version of one implementation
  };
  Kind kind = Kind::plain;
  std::string module;          ///< "_C"
  std::string text;            ///< ".cpython-312-x86_64-linux-gnu.so"
  std::string implementation;  ///< "cpython", "pypy", "graalpy"; empty: not said
  int major = 0;               ///< of the language: 3; 0: not said
  int minor = 0;               ///< of the language: 12
  std::string abi;  ///< flags "t", "d", "m" of CPython, "pp73" of PyPy; "abi3" and "abi3t"
  /// "x86_64-linux-gnu", "darwin", "win_amd64"; empty: not said.
  std::string platform;
  bool windows = false;  ///< ".pyd"
  [[nodiscard]] bool free_threaded() const;
};

/// `path`: only its last component counts. Nothing: it ends neither in .so nor in .pyd. What stands
/// before that ending and is not understood belongs to the module's name.
[[nodiscard]] std::optional<ExtensionSuffix> parse_extension_suffix(std::string_view path);

/// How many of the interpreters that a wheel's tags promise import a file of this name.
enum class ExtensionFit {
  none,  ///< not one: dead weight, or the wrong file
  some,  ///< e.g. a cpython-312 file under py3-none or cp310-abi3
  all
};
/// A "-gnu" suffix is accepted under musllinux, where CPython used it for long. No tags: `none`.
[[nodiscard]] ExtensionFit extension_fit(const ExtensionSuffix& suffix,
                                         const std::vector<Tag>& tags);

}  // namespace wheelcheck
