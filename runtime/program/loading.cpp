#include "runtime/program/loading.h"

#include <cinttypes>
#include <cstring>
#include <executorch/runtime/platform/log.h>

namespace executorch::runtime::format {

namespace {

// The bytes of a buffer that the processor can read.
Result<std::span<const std::uint8_t>> readable(const FreeableBuffer& buffer, std::uint64_t size) {
  ET_ASSIGN_OR_RETURN(data, buffer.data_safe());
  if (data == nullptr || buffer.size() < size) {
    ET_LOG(Error, "the loader gave %zu bytes of %" PRIu64, buffer.size(), size);
    return Error::AccessFailed;
  }
  return std::span(static_cast<const std::uint8_t*>(data), static_cast<std::size_t>(size));
}

}  // namespace

std::span<const std::uint8_t> LoadedTables::bytes() const {
  return {static_cast<const std::uint8_t*>(buffer.data()),
          static_cast<std::size_t>(extents.flatbuffer_size)};
}

Result<LoadedTables> load_tables(const DataLoader& loader, DataLoader::SegmentInfo::Type type,
                                 ReadHead read_head) {
  ET_ASSIGN_OR_RETURN(file_size, loader.size());
  Extents extents;
  {
    ET_ASSIGN_OR_RETURN(head, loader.load(0, kHeadBytes, DataLoader::SegmentInfo(type)));
    ET_ASSIGN_OR_RETURN(bytes, readable(head, kHeadBytes));
    Refusal refusal;
    if (!read_head(bytes, file_size, extents, refusal)) return logged(refusal, "file");
  }
  ET_ASSIGN_OR_RETURN(buffer, loader.load(0, static_cast<std::size_t>(extents.flatbuffer_size),
                                          DataLoader::SegmentInfo(type)));
  ET_ASSIGN_OR_RETURN(bytes, readable(buffer, extents.flatbuffer_size));
  if (reinterpret_cast<std::uintptr_t>(bytes.data()) % kFileAlignment != 0) {
    ET_LOG(Error, "the data of the file is at %p, which is not aligned to %zu bytes",
           static_cast<const void*>(bytes.data()), kFileAlignment);
    return Error::InvalidArgument;
  }
  return LoadedTables{std::move(buffer), extents};
}

Result<FreeableBuffer> load_part(const DataLoader& loader, std::uint64_t offset, std::uint64_t size,
                                 const DataLoader::SegmentInfo& info) {
  if (size == 0) return FreeableBuffer();
  Result<FreeableBuffer> part =
      loader.load(static_cast<std::size_t>(offset), static_cast<std::size_t>(size), info);
  if (part.ok() && part->size() < size) {
    ET_LOG(Error, "the loader gave %zu bytes of %" PRIu64, part->size(), size);
    return Error::AccessFailed;
  }
  return part;
}

Error load_part_into(const DataLoader& loader, std::uint64_t offset, std::uint64_t size,
                     const DataLoader::SegmentInfo& info, void* destination) {
  if (size == 0) return Error::Ok;
  const Error error = loader.load_into(static_cast<std::size_t>(offset),
                                       static_cast<std::size_t>(size), info, destination);
  if (error != Error::NotImplemented) return error;
  ET_ASSIGN_OR_RETURN(part, load_part(loader, offset, size, info));
  ET_ASSIGN_OR_RETURN(bytes, readable(part, size));
  std::memcpy(destination, bytes.data(), bytes.size());
  return Error::Ok;
}

Error logged(const Refusal& refusal, const char* what) {
  ET_LOG(Error, "%s refused: %s", what, refusal.text);
  return refusal.error;
}

}  // namespace executorch::runtime::format
