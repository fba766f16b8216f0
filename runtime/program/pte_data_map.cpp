#include "runtime/program/pte_data_map.h"

#include <cinttypes>
#include <executorch/runtime/platform/log.h>

#include "runtime/program/loading.h"

namespace executorch::runtime::internal {

Result<const TensorLayout> PteDataMap::get_tensor_layout(std::string_view /*key*/) const {
  return Error::NotImplemented;
}

Error PteDataMap::load_data_into(std::string_view /*key*/, void* /*buffer*/,
                                 size_t /*size*/) const {
  return Error::NotImplemented;
}

Result<FreeableBuffer> PteDataMap::get_data(std::string_view key) const {
  const auto named = program_.named_data();
  for (std::uint32_t i = 0; i < named.size(); ++i) {
    if (named[i].key().view() != key) continue;
    const std::uint32_t index = named[i].segment();
    const format::SegmentTable segment = program_.segments()[index];
    return format::load_part(
        loader_, segment_base_ + segment.offset(), segment.size(),
        DataLoader::SegmentInfo(DataLoader::SegmentInfo::Type::Constant, index));
  }
  return Error::NotFound;
}

Result<uint32_t> PteDataMap::get_num_keys() const { return program_.named_data().size(); }

Result<const char*> PteDataMap::get_key(uint32_t index) const {
  const auto named = program_.named_data();
  ET_CHECK_OR_RETURN_ERROR(index < named.size(), InvalidArgument, "key %" PRIu32 " of %" PRIu32,
                           index, named.size());
  return named[index].key().data;
}

}  // namespace executorch::runtime::internal
