#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>
#include <zip.h>

#include "verifier/archive/facts.h"
#include "verifier/archive/problems.h"
#include "verifier/archive/source.h"
#include "verifier/core/result.h"

namespace wheelcheck {

/// A file as libzip sees it. Not safe from several threads at once: open one for each.
class LibzipArchive {
 public:
  /// `source` must outlive the result.
  [[nodiscard]] static Result<LibzipArchive> open(const FileSource& source);
  [[nodiscard]] zip_t* get() const { return archive_.get(); }

 private:
  struct Discard {
    void operator()(zip_t* archive) const { zip_discard(archive); }
  };
  // libzip keeps a pointer to it.
  struct Cursor;
  struct DeleteCursor {
    void operator()(Cursor* cursor) const;
  };
  std::unique_ptr<Cursor, DeleteCursor> cursor_;
  std::unique_ptr<zip_t, Discard> archive_;
};

/// Opens the file with libzip and compares what it sees, member by member. Every difference is a
/// problem; none: libzip sees the same archive.
/// Costs about as much as reading the directory did, so it is not part of that: libzip works out a
/// local time for every member.
[[nodiscard]] std::vector<ArchiveProblem> compare_with_libzip(const FileSource& source,
                                                              const ArchiveFacts& archive,
                                                              std::size_t problems_of_a_kind = 100);

}  // namespace wheelcheck
