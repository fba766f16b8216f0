#include "runtime/executor/delegate_data_map.h"

namespace executorch::runtime::internal {

Result<const TensorLayout> DelegateDataMap::get_tensor_layout(std::string_view key) const {
  auto layout = files_->get_tensor_layout(key);
  if (layout.error() == Error::NotFound) return program_->get_tensor_layout(key);
  return layout;
}

Result<FreeableBuffer> DelegateDataMap::get_data(std::string_view key) const {
  auto data = files_->get_data(key);
  if (data.error() == Error::NotFound) return program_->get_data(key);
  return data;
}

Error DelegateDataMap::load_data_into(std::string_view key, void* buffer, size_t size) const {
  const Error error = files_->load_data_into(key, buffer, size);
  return error == Error::NotFound ? program_->load_data_into(key, buffer, size) : error;
}

Result<uint32_t> DelegateDataMap::get_num_keys() const {
  ET_ASSIGN_OR_RETURN(files, files_->get_num_keys());
  ET_ASSIGN_OR_RETURN(program, program_->get_num_keys());
  return files + program;
}

Result<const char*> DelegateDataMap::get_key(uint32_t index) const {
  ET_ASSIGN_OR_RETURN(files, files_->get_num_keys());
  return index < files ? files_->get_key(index) : program_->get_key(index - files);
}

}  // namespace executorch::runtime::internal
