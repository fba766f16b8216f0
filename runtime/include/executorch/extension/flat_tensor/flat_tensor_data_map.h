#pragma once

#include <cstdint>
#include <executorch/extension/flat_tensor/serialize/flat_tensor_header.h>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/tensor_layout.h>
#include <executorch/runtime/platform/compiler.h>
#include <memory>
#include <string_view>

namespace executorch::extension {

namespace internal {
class FlatTensorState;
}  // namespace internal

/// The data of a .ptd file. Move-only.
class ET_API FlatTensorDataMap final : public runtime::NamedDataMap {
 public:
  static constexpr uint32_t kMaxSupportedSchemaVersion = 0;

  /// Reads the table of a file. The loader has to outlive the map. InvalidExternalData when it is
  /// no .ptd file, or not a right one.
  static runtime::Result<FlatTensorDataMap> load(runtime::DataLoader* loader);

  ET_NODISCARD runtime::Result<const runtime::TensorLayout> get_tensor_layout(
      std::string_view key) const override;
  ET_NODISCARD runtime::Result<runtime::FreeableBuffer> get_data(
      std::string_view key) const override;
  ET_NODISCARD runtime::Error load_data_into(std::string_view key, void* buffer,
                                             size_t size) const override;
  ET_NODISCARD runtime::Result<uint32_t> get_num_keys() const override;
  ET_NODISCARD runtime::Result<const char*> get_key(uint32_t index) const override;

  FlatTensorDataMap(FlatTensorDataMap&&) noexcept;
  FlatTensorDataMap(const FlatTensorDataMap&) = delete;
  FlatTensorDataMap& operator=(const FlatTensorDataMap&) = delete;
  FlatTensorDataMap& operator=(FlatTensorDataMap&&) = delete;
  ~FlatTensorDataMap() override;

 private:
  explicit FlatTensorDataMap(std::unique_ptr<internal::FlatTensorState> state);

  std::unique_ptr<internal::FlatTensorState> state_;
};

}  // namespace executorch::extension
