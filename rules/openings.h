#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/core/result.h"
#include "verifier/loader/install_tree.h"
#include "verifier/loader/resolution.h"

namespace wheelcheck {

/// What the Python code of one package opens by ctypes or by a loader of its own, of its own files.
struct OpeningRow {
  struct Library {
    std::string path;  ///< glob, below site-packages
    bool global = false;
    std::string by;  ///< the file whose code opens it
  };
  std::string distribution;        ///< normalised
  std::vector<Library> libraries;  ///< in the order in which they are opened
};

/// rules/policy/openings.json. What code opens is not seen in the files that it opens.
class OpeningTable {
 public:
  [[nodiscard]] static Result<OpeningTable> parse(std::string_view json);
  [[nodiscard]] const std::vector<OpeningRow>& rows() const { return rows_; }

 private:
  std::vector<OpeningRow> rows_;
};

/// Tells the loader what files of the subject open beside their NEEDED: names in .note.dlopen, the
/// siblings that read-only data name, and what the table says of the subject. `directories`:
/// where paths of the table count from. `owned`: whether a file is the subject's.
void add_openings(LoaderOptions& options, const InstallTree& tree, const OpeningTable& table,
                  const std::vector<std::string>& directories,
                  const std::function<bool(std::size_t)>& owned);

/// The same for a tree of wheels.
void add_openings(LoaderOptions& options, const InstallTree& tree, const OpeningTable& table);

}  // namespace wheelcheck
