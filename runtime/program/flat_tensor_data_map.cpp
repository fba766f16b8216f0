#include <cinttypes>
#include <executorch/extension/flat_tensor/flat_tensor_data_map.h>
#include <executorch/runtime/platform/log.h>
#include <new>

#include "runtime/program/flat_tensor.h"
#include "runtime/program/loading.h"

namespace executorch::extension {

namespace format = runtime::format;
using runtime::DataLoader;
using runtime::Error;
using runtime::FreeableBuffer;
using runtime::Result;
using runtime::TensorLayout;

Result<FlatTensorHeader> FlatTensorHeader::Parse(const void* data, size_t size) {
  const auto* bytes = static_cast<const std::uint8_t*>(data);
  format::TensorFileHeader header;
  format::Refusal refusal;
  if (!format::parse_tensor_file_header({bytes, bytes == nullptr ? 0 : size}, header, refusal)) {
    return refusal.error == Error::NotFound ? refusal.error
                                            : format::logged(refusal, "tensor file header");
  }
  return FlatTensorHeader{header.flatbuffer_offset, header.flatbuffer_size, header.segment_base,
                          header.segment_size};
}

namespace internal {

class FlatTensorState {
 public:
  FlatTensorState(const DataLoader& loader, format::LoadedTables&& tables,
                  const format::TensorFileTable& file)
      : loader_(loader), tables_(std::move(tables)), file_(file) {}

  const format::TensorFileTable& file() const { return file_; }

  /// The first entry of that name, or an absent one.
  format::TensorDataTable find(std::string_view key) const {
    const auto named = file_.named_data();
    for (std::uint32_t i = 0; i < named.size(); ++i) {
      if (named[i].key().view() == key) return named[i];
    }
    return {};
  }

  format::SegmentTable segment(const format::TensorDataTable& entry) const {
    return file_.segments()[entry.segment()];
  }
  std::uint64_t offset(const format::TensorDataTable& entry) const {
    return tables_.extents.segment_base + segment(entry).offset();
  }
  static DataLoader::SegmentInfo info(const format::TensorDataTable& entry) {
    return DataLoader::SegmentInfo(DataLoader::SegmentInfo::Type::External, entry.segment(),
                                   entry.key().data);
  }
  const DataLoader& loader() const { return loader_; }

 private:
  const DataLoader& loader_;
  format::LoadedTables tables_;
  format::TensorFileTable file_;
};

}  // namespace internal

FlatTensorDataMap::FlatTensorDataMap(std::unique_ptr<internal::FlatTensorState> state)
    : state_(std::move(state)) {}
FlatTensorDataMap::FlatTensorDataMap(FlatTensorDataMap&&) noexcept = default;
FlatTensorDataMap::~FlatTensorDataMap() = default;

Result<FlatTensorDataMap> FlatTensorDataMap::load(DataLoader* loader) {
  ET_CHECK_OR_RETURN_ERROR(loader != nullptr, InvalidArgument, "%s", "no loader");
  ET_ASSIGN_OR_RETURN(tables, format::load_tables(*loader, DataLoader::SegmentInfo::Type::External,
                                                  format::read_tensor_file_head));
  format::Refusal refusal;
  const auto file = format::verify_tensor_file(tables.bytes(), tables.extents, refusal);
  if (!file) return format::logged(refusal, "tensor file");
  std::unique_ptr<internal::FlatTensorState> state(
      new (std::nothrow) internal::FlatTensorState(*loader, std::move(tables), file));
  if (!state) return Error::MemoryAllocationFailed;
  return FlatTensorDataMap(std::move(state));
}

Result<const TensorLayout> FlatTensorDataMap::get_tensor_layout(std::string_view key) const {
  const format::TensorDataTable entry = state_->find(key);
  const format::LayoutTable layout = entry ? entry.layout() : format::LayoutTable();
  if (!layout) return Error::NotFound;
  const auto sizes = layout.sizes();
  const auto order = layout.dim_order();
  return TensorLayout::create({sizes.data(), sizes.size()}, {order.data(), order.size()},
                              static_cast<runtime::etensor::ScalarType>(layout.scalar_type()));
}

Result<FreeableBuffer> FlatTensorDataMap::get_data(std::string_view key) const {
  const format::TensorDataTable entry = state_->find(key);
  if (!entry) return Error::NotFound;
  return format::load_part(state_->loader(), state_->offset(entry), state_->segment(entry).size(),
                           internal::FlatTensorState::info(entry));
}

Error FlatTensorDataMap::load_data_into(std::string_view key, void* buffer, size_t size) const {
  const format::TensorDataTable entry = state_->find(key);
  if (!entry) return Error::NotFound;
  ET_ASSIGN_OR_RETURN(layout, get_tensor_layout(key));
  ET_CHECK_OR_RETURN_ERROR(layout.nbytes() == size, InvalidExternalData,
                           "%.*s has %zu bytes, not %zu", static_cast<int>(key.size()), key.data(),
                           layout.nbytes(), size);
  return format::load_part_into(state_->loader(), state_->offset(entry), size,
                                internal::FlatTensorState::info(entry), buffer);
}

Result<uint32_t> FlatTensorDataMap::get_num_keys() const {
  return state_->file().named_data().size();
}

Result<const char*> FlatTensorDataMap::get_key(uint32_t index) const {
  const auto named = state_->file().named_data();
  ET_CHECK_OR_RETURN_ERROR(index < named.size(), InvalidArgument, "key %" PRIu32 " of %" PRIu32,
                           index, named.size());
  return named[index].key().data;
}

}  // namespace executorch::extension
