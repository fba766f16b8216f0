// Gets the tables of a file through a loader, and says in the log why a file was refused.

#pragma once

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/result.h>

#include "runtime/program/containers.h"
#include "runtime/program/refusal.h"

namespace executorch::runtime::format {

/// The flatbuffer of a file, not verified yet, and where the rest of the file lies.
struct LoadedTables {
  FreeableBuffer buffer;
  Extents extents;

  std::span<const std::uint8_t> bytes() const;
};

/// One of the functions of containers.h that read a head.
using ReadHead = bool (*)(std::span<const std::uint8_t> head, std::uint64_t file_size,
                          Extents& extents, Refusal& refusal);

/// Loads head and tables. Besides the errors of `read_head` and of the loader: InvalidArgument when
/// the loader's data is not aligned to kFileAlignment, AccessFailed when it is too short.
Result<LoadedTables> load_tables(const DataLoader& loader, DataLoader::SegmentInfo::Type type,
                                 ReadHead read_head);

/// Loads part of a file. The offset and size have been verified; empty parts are not asked for.
Result<FreeableBuffer> load_part(const DataLoader& loader, std::uint64_t offset, std::uint64_t size,
                                 const DataLoader::SegmentInfo& info);

/// Loads part of a file to where it belongs, also with loaders that can only load to their own
/// place.
Error load_part_into(const DataLoader& loader, std::uint64_t offset, std::uint64_t size,
                     const DataLoader::SegmentInfo& info, void* destination);

/// Writes the reason to the log, and is the error. `what` names the file's kind.
Error logged(const Refusal& refusal, const char* what);

}  // namespace executorch::runtime::format
