#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "verifier/check/facts_cache.h"
#include "verifier/check/site_packages.h"
#include "verifier/core/result.h"
#include "verifier/report/report.h"
#include "verifier/scan/scan.h"
#include "verifier/wheel/facts.h"

namespace wheelcheck {

/// The packages that the user gives along with what is to be checked: the real thing instead of
/// what tables say of it. Each is read once, whatever the number of wheels it is given for.
class GivenPackages {
 public:
  /// `cache`: where facts of wheels are kept; null: each is read.
  explicit GivenPackages(std::unique_ptr<FactsCache> cache = nullptr) : cache_(std::move(cache)) {}

  /// A wheel, a folder of wheels, or an unpacked site-packages folder.
  void add(const std::string& path, const ScanOptions& options) { add(path, {}, options); }
  /// One of the folders of an installation.
  void add(const std::string& path, const std::vector<SitePackagesFolder>& installation,
           const ScanOptions& options);

  /// What could not be read: paths that are not there or hold no package, archives, and members
  /// that may be libraries.
  [[nodiscard]] const std::vector<Error>& errors() const { return errors_; }

  [[nodiscard]] const BesideStats& stats() const { return stats_; }

  /// Those that could be installed beside `subject`: for its platform and Python, not the subject
  /// itself, and of several of one name the newest.
  [[nodiscard]] std::vector<const WheelFacts*> suiting(const WheelFacts& subject) const;

 private:
  void add_all(const std::string& path, const std::vector<SitePackagesFolder>& installation,
               const ScanOptions& options);
  void add_wheel(const std::string& path, const ScanOptions& options);
  void keep(WheelFacts facts);

  std::unique_ptr<FactsCache> cache_;
  BesideStats stats_;
  std::vector<std::unique_ptr<WheelFacts>> packages_;
  std::vector<Error> errors_;
};

/// Whether an installer that takes `subject` could take `other` on the same machine. True where a
/// file name is missing: nothing is known against it.
[[nodiscard]] bool installable_beside(const WheelFacts& subject, const WheelFacts& other);

}  // namespace wheelcheck
