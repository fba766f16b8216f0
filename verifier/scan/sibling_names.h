#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/core/bytes.h"

namespace wheelcheck {

/// File names of libraries, to be looked for in the data of others.
using LibraryNames = std::set<std::string, std::less<>>;

/// Whether a path's last component is that of a library: "libx.so", "libx.so.1.2".
[[nodiscard]] bool is_library_name(std::string_view path);

/// Finds names of libraries in data that streams past: whole C strings, or the last component of a
/// path in one.
class SiblingScanner {
 public:
  /// `names` must outlive this.
  explicit SiblingScanner(const LibraryNames& names) : names_(names) {}

  void consume(Bytes chunk);
  /// Data that is left out lies here: no string goes over it.
  void skip();
  /// The names that were seen, sorted.
  [[nodiscard]] std::vector<std::string> finish() const;

 private:
  /// Strings that begin in `text` at `from` or later and end before its end.
  void scan(std::string_view text, bool from_start);

  const LibraryNames& names_;
  LibraryNames seen_;
  std::string tail_;
  bool at_start_ = true;
};

}  // namespace wheelcheck
