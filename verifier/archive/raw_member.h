#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "verifier/archive/facts.h"
#include "verifier/archive/libzip_view.h"
#include "verifier/archive/source.h"
#include "verifier/core/result.h"

namespace wheelcheck {

/// Who finds a member's compressed bytes.
enum class RawVia {
  own,    ///< the offset that the directory reader found and checked
  libzip  ///< libzip, which reads the local header again: a second opinion, slower
};

/// The compressed bytes of members, one member at a time, in order.
class RawMembers {
 public:
  /// libzip is used only where it agrees about the archive.
  RawMembers(const FileSource& source, const ArchiveFacts& archive, RawVia via);

  /// Begins with a member's first byte.
  [[nodiscard]] std::optional<Error> open(std::size_t index);
  /// Compressed bytes not read yet.
  [[nodiscard]] std::uint64_t left() const { return left_; }
  /// Fills `out`, or its beginning with all that is left: how much it was.
  [[nodiscard]] Result<std::size_t> read(std::span<std::byte> out);

 private:
  struct CloseFile {
    void operator()(zip_file_t* file) const { zip_fclose(file); }
  };

  SourceWindow source_;
  const ArchiveFacts& archive_;
  std::optional<LibzipArchive> libzip_;
  std::unique_ptr<zip_file_t, CloseFile> file_;
  const Member* member_ = nullptr;
  std::uint64_t left_ = 0;
};

}  // namespace wheelcheck
