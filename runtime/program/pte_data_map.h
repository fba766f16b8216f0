// The named data inside a program file.

#pragma once

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/named_data_map.h>

#include "runtime/program/schema.h"

namespace executorch::runtime::internal {

/// Blobs by name, without layouts. Views the program, which has to outlive it.
class PteDataMap final : public NamedDataMap {
 public:
  PteDataMap(const DataLoader& loader, std::uint64_t segment_base,
             const format::ProgramTable& program)
      : loader_(loader), segment_base_(segment_base), program_(program) {}

  Result<const TensorLayout> get_tensor_layout(std::string_view key) const override;
  Result<FreeableBuffer> get_data(std::string_view key) const override;
  Error load_data_into(std::string_view key, void* buffer, size_t size) const override;
  Result<uint32_t> get_num_keys() const override;
  Result<const char*> get_key(uint32_t index) const override;

 private:
  const DataLoader& loader_;
  std::uint64_t segment_base_;
  format::ProgramTable program_;
};

}  // namespace executorch::runtime::internal
