#pragma once

#include <string>
#include <vector>

#include "verifier/core/result.h"
#include "verifier/scan/scan.h"
#include "verifier/wheel/facts.h"

namespace wheelcheck {

/// A folder in which an interpreter has modules installed.
struct SitePackagesFolder {
  std::string path;
  Scheme scheme = Scheme::platlib;  ///< where purelib and platlib are one folder: platlib
};

/// The folders of one installation: the one that both schemes share, by whichever names, or two
/// that differ in lib64 (platlib) and lib alone. An error: they are something else.
[[nodiscard]] Result<std::vector<SitePackagesFolder>> folders_of_installation(
    const std::vector<std::string>& paths);

/// What is installed in a folder.
struct SitePackages {
  std::vector<WheelFacts> packages;  ///< one for each *.dist-info, by name
  std::vector<Error> errors;
};

/// Reads an unpacked site-packages folder for what other wheels may find in it: names, versions,
/// requirements, and the ELF facts of the files that each RECORD lists. Files that no RECORD
/// claims belong to no package and are not seen. `installation`: the folders of which it is one;
/// empty: it stands for the wheels that lie in it, each of which says itself where it belongs.
[[nodiscard]] SitePackages read_site_packages(
    const std::string& directory, const ScanOptions& options,
    const std::vector<SitePackagesFolder>& installation = {});

}  // namespace wheelcheck
