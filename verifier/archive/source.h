#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "verifier/core/bytes.h"
#include "verifier/core/result.h"

namespace wheelcheck {

/// Bytes that can be read at any offset: a file, or memory that outlives this object.
/// Reading is `const` and safe from several threads at once.
///
/// The file is read with pread and never mapped: a file that shrinks while it is read must give an
/// error, and a mapping would give a signal.
class FileSource {
 public:
  /// Only regular files: a pipe or a device would block or never end.
  [[nodiscard]] static Result<FileSource> open(const std::string& path);
  /// `bytes` must stay alive and unchanged.
  [[nodiscard]] static FileSource from_memory(std::string name, Bytes bytes);

  ~FileSource();
  FileSource(FileSource&& other) noexcept;
  FileSource& operator=(FileSource&& other) noexcept;
  FileSource(const FileSource&) = delete;
  FileSource& operator=(const FileSource&) = delete;

  [[nodiscard]] const std::string& name() const { return name_; }
  /// Length in bytes, as it was when the source was opened.
  [[nodiscard]] std::uint64_t size() const { return size_; }

  /// Fills `out` from `offset`. An error when not all of it is there, or on an I/O error.
  [[nodiscard]] std::optional<Error> read(std::uint64_t offset, std::span<std::byte> out) const;
  /// The caller has put `size` under a budget.
  [[nodiscard]] Result<std::vector<std::byte>> read(std::uint64_t offset, std::uint64_t size) const;

 private:
  FileSource() = default;

  std::string name_;
  std::uint64_t size_ = 0;
  int descriptor_ = -1;  // -1: memory_
  Bytes memory_;
};

/// Many small reads of one source, mostly forwards: a window saves a system call for most of them.
/// For one thread at a time; the source must outlive it.
class SourceWindow {
 public:
  explicit SourceWindow(const FileSource& source) : source_(&source) {}

  /// As FileSource::read().
  [[nodiscard]] std::optional<Error> read(std::uint64_t offset, std::span<std::byte> out);

 private:
  const FileSource* source_;
  std::vector<std::byte> bytes_;
  std::uint64_t at_ = 0;  ///< offset of the first byte
};

}  // namespace wheelcheck
