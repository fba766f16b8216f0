#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "verifier/archive/facts.h"

namespace wheelcheck {

/// Gathers problems, and keeps an archive in which every member is odd from filling memory and
/// reports: beyond `limit` of one kind only their number is kept, as one last problem of that kind.
class ProblemList {
 public:
  explicit ProblemList(std::size_t limit) : limit_(limit) {}

  void add(ArchiveOddity oddity, std::string member, std::uint64_t offset, std::string detail);
  [[nodiscard]] std::vector<ArchiveProblem> take();

 private:
  static constexpr std::size_t kKinds = static_cast<std::size_t>(kLastArchiveOddity) + 1;

  std::size_t limit_;
  std::vector<ArchiveProblem> problems_;
  std::array<std::size_t, kKinds> counts_{};
};

}  // namespace wheelcheck
