#include <cinttypes>
#include <executorch/extension/named_data_map/merged_data_map.h>
#include <executorch/runtime/platform/log.h>

namespace executorch::extension::merged_data_map {

using runtime::Error;
using runtime::FreeableBuffer;
using runtime::NamedDataMap;
using runtime::Result;
using runtime::TensorLayout;

Result<MergedDataMap> MergedDataMap::load(runtime::Span<const NamedDataMap*> named_data_maps) {
  std::vector<const NamedDataMap*> maps;
  std::unordered_map<std::string, uint32_t> map_of_key;
  for (const NamedDataMap* map : named_data_maps) {
    if (map == nullptr) continue;
    ET_ASSIGN_OR_RETURN(count, map->get_num_keys());
    if (count == 0) continue;
    for (uint32_t i = 0; i < count; ++i) {
      ET_ASSIGN_OR_RETURN(key, map->get_key(i));
      const auto [place, added] = map_of_key.emplace(key, static_cast<uint32_t>(maps.size()));
      // A file may name its own data twice: then its first entry is meant, as without merging.
      ET_CHECK_OR_RETURN_ERROR(added || place->second == maps.size(), InvalidArgument,
                               "two data files have '%s'", key);
    }
    maps.push_back(map);
  }
  ET_CHECK_OR_RETURN_ERROR(!maps.empty(), InvalidArgument, "%s", "no data file has any data");
  return MergedDataMap(std::move(maps), std::move(map_of_key));
}

namespace {

const NamedDataMap* find(const std::vector<const NamedDataMap*>& maps,
                         const std::unordered_map<std::string, uint32_t>& map_of_key,
                         std::string_view key) {
  const auto found = map_of_key.find(std::string(key));
  return found == map_of_key.end() ? nullptr : maps[found->second];
}

}  // namespace

Result<const TensorLayout> MergedDataMap::get_tensor_layout(std::string_view key) const {
  const NamedDataMap* map = find(maps_, map_of_key_, key);
  if (map == nullptr) return Error::NotFound;
  return map->get_tensor_layout(key);
}

Result<FreeableBuffer> MergedDataMap::get_data(std::string_view key) const {
  const NamedDataMap* map = find(maps_, map_of_key_, key);
  if (map == nullptr) return Error::NotFound;
  return map->get_data(key);
}

Error MergedDataMap::load_data_into(std::string_view key, void* buffer, size_t size) const {
  const NamedDataMap* map = find(maps_, map_of_key_, key);
  return map == nullptr ? Error::NotFound : map->load_data_into(key, buffer, size);
}

Result<uint32_t> MergedDataMap::get_num_keys() const {
  uint32_t total = 0;
  for (const NamedDataMap* map : maps_) {
    ET_ASSIGN_OR_RETURN(count, map->get_num_keys());
    total += count;
  }
  return total;
}

Result<const char*> MergedDataMap::get_key(uint32_t index) const {
  uint32_t rest = index;
  for (const NamedDataMap* map : maps_) {
    ET_ASSIGN_OR_RETURN(count, map->get_num_keys());
    if (rest < count) return map->get_key(rest);
    rest -= count;
  }
  ET_LOG(Error, "key %" PRIu32 " of %" PRIu32, index, index - rest);
  return Error::InvalidArgument;
}

}  // namespace executorch::extension::merged_data_map
