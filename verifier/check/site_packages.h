#pragma once

#include <string>
#include <vector>

#include "verifier/core/result.h"
#include "verifier/scan/scan.h"
#include "verifier/wheel/facts.h"

namespace wheelcheck {

/// What is installed in a folder.
struct SitePackages {
  std::vector<WheelFacts> packages;  ///< one for each *.dist-info, by name
  std::vector<Error> errors;
};

/// Reads an unpacked site-packages folder for what other wheels may find in it: names, versions,
/// requirements, and the ELF facts of the files that each RECORD lists. Files that no RECORD
/// claims belong to no package and are not seen.
[[nodiscard]] SitePackages read_site_packages(const std::string& directory,
                                              const ScanOptions& options);

}  // namespace wheelcheck
