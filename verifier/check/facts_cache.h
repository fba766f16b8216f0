#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "verifier/archive/source.h"
#include "verifier/core/result.h"
#include "verifier/report/report.h"
#include "verifier/scan/scan.h"
#include "verifier/wheel/facts.h"

namespace wheelcheck {

/// Facts of wheels that lie beside what is checked, kept from run to run: dependencies are large
/// and stay the same. The key is the SHA-256 of the whole file, a seventh of what reading torch
/// takes: a changed byte anywhere is another wheel. Only what was read without any fault is kept,
/// and only for the very program that read it. An entry that is damaged is no entry.
class FactsCache {
 public:
  /// In the user's folder for caches: $XDG_CACHE_HOME or ~/.cache. Null: there is none, or this
  /// program has no build id by which its facts could be told from those of another.
  [[nodiscard]] static std::unique_ptr<FactsCache> of_user();
  /// In `folder`, which is made when something is kept. `program` tells whose facts they are.
  FactsCache(std::string folder, std::string program);

  /// As scan_wheel() does, unless the facts are known. `stats` is added to.
  [[nodiscard]] Result<WheelFacts> scan(const std::string& path, const ScanOptions& options,
                                        BesideStats& stats) const;

  /// The file that holds the facts of a wheel with this hash and name.
  [[nodiscard]] std::string entry(const std::string& sha256, const std::string& wheel) const;

 private:
  [[nodiscard]] std::optional<WheelFacts> load(const std::string& entry,
                                               const std::string& path) const;
  void keep(const std::string& entry, const WheelFacts& wheel) const;
  void make_room() const;

  std::string folder_;
  std::string program_;
};

}  // namespace wheelcheck
