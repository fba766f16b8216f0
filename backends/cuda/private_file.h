#pragma once

#include <cstdint>
#include <executorch/runtime/core/error.h>
#include <span>
#include <string>

namespace executorch::backends::cuda {

/// A file with given content that nobody else finds, for dlopen(). It is memory where the system
/// allows that, else an unlinked file in TMPDIR or /tmp; either way nothing is left behind.
class PrivateFile {
 public:
  PrivateFile() = default;
  ~PrivateFile();
  PrivateFile(const PrivateFile&) = delete;
  PrivateFile& operator=(const PrivateFile&) = delete;

  /// AccessFailed when neither can be had.
  [[nodiscard]] runtime::Error create(std::span<const std::uint8_t> content);
  /// The same by the second way alone.
  [[nodiscard]] runtime::Error create_on_disk(std::span<const std::uint8_t> content);

  /// Writes over a part of the content, before anyone opens it.
  [[nodiscard]] runtime::Error overwrite(std::uint64_t offset,
                                         std::span<const std::uint8_t> bytes) const;

  /// A path that opens it, and that no other file of this process ever had: the loader takes two
  /// files of one path for the same, even when the first is gone.
  const std::string& path() const { return path_; }
  /// The content, mapped; stays when this object ends.
  [[nodiscard]] runtime::Error map(std::span<const std::uint8_t>* ret) const;

 private:
  runtime::Error fill(std::span<const std::uint8_t> content);

  int descriptor_ = -1;
  std::size_t size_ = 0;
  std::string path_;
};

}  // namespace executorch::backends::cuda
