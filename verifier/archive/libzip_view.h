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

/// Opens the file with libzip and compares what it sees, member by member. False when libzip must
/// not be used to read members; a problem says why.
/// `stated_entries`: the end record's count. libzip trusts it, so it is checked first.
[[nodiscard]] bool check_with_libzip(const FileSource& source, const std::vector<Member>& members,
                                     std::uint64_t stated_entries, ProblemList& problems);

}  // namespace wheelcheck
