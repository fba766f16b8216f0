#pragma once

#include <cstdint>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/span.h>
#include <executorch/runtime/platform/compiler.h>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace executorch::extension::merged_data_map {

/// Several maps as one. They have to outlive it. Move-only.
class ET_API MergedDataMap final : public runtime::NamedDataMap {
 public:
  /// InvalidArgument when a name is in two maps, or when no map has any.
  static runtime::Result<MergedDataMap> load(
      runtime::Span<const runtime::NamedDataMap*> named_data_maps);

  ET_NODISCARD runtime::Result<const runtime::TensorLayout> get_tensor_layout(
      std::string_view key) const override;
  ET_NODISCARD runtime::Result<runtime::FreeableBuffer> get_data(
      std::string_view key) const override;
  ET_NODISCARD runtime::Error load_data_into(std::string_view key, void* buffer,
                                             size_t size) const override;
  ET_NODISCARD runtime::Result<uint32_t> get_num_keys() const override;
  ET_NODISCARD runtime::Result<const char*> get_key(uint32_t index) const override;

  MergedDataMap(MergedDataMap&&) noexcept = default;
  MergedDataMap(const MergedDataMap&) = delete;
  MergedDataMap& operator=(const MergedDataMap&) = delete;
  MergedDataMap& operator=(MergedDataMap&&) = delete;
  ~MergedDataMap() override = default;

 private:
  MergedDataMap(std::vector<const runtime::NamedDataMap*> maps,
                std::unordered_map<std::string, uint32_t> map_of_key)
      : maps_(std::move(maps)), map_of_key_(std::move(map_of_key)) {}

  // The maps that have names, and which of them has a name.
  std::vector<const runtime::NamedDataMap*> maps_;
  std::unordered_map<std::string, uint32_t> map_of_key_;
};

}  // namespace executorch::extension::merged_data_map
