// The named data that a delegate sees: of the data files first, then of the program.

#pragma once

#include <executorch/runtime/core/named_data_map.h>

namespace executorch::runtime::internal {

class DelegateDataMap final : public NamedDataMap {
 public:
  /// Either may be null. Both have to outlive the map.
  DelegateDataMap(const NamedDataMap* files, const NamedDataMap* program)
      : files_(files), program_(program) {}

  /// What a delegate is given: the only map there is, both as one, or null without any.
  const NamedDataMap* map() const {
    if (files_ == nullptr) return program_;
    return program_ == nullptr ? files_ : this;
  }

  // With both maps there.
  Result<const TensorLayout> get_tensor_layout(std::string_view key) const override;
  Result<FreeableBuffer> get_data(std::string_view key) const override;
  Error load_data_into(std::string_view key, void* buffer, size_t size) const override;
  Result<uint32_t> get_num_keys() const override;
  Result<const char*> get_key(uint32_t index) const override;

 private:
  const NamedDataMap* files_;
  const NamedDataMap* program_;
};

}  // namespace executorch::runtime::internal
