#pragma once

#include <cstddef>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch::runtime {

/// Where the bytes of a program or data file come from. Implementations must allow calls from
/// several threads at once.
class ET_API DataLoader {
 public:
  /// What is loaded, for loaders that place kinds of data differently.
  struct SegmentInfo {
    enum class Type {
      Program,   ///< the program itself
      Constant,  ///< constants of the program
      Backend,   ///< data of a delegate; `descriptor` is the backend's name
      Mutable,   ///< initial state of mutable tensors
      External,  ///< data from a data file
    };

    Type segment_type = Type::Program;
    /// Index in the program's list of segments.
    size_t segment_index = 0;
    const char* descriptor = nullptr;

    SegmentInfo() = default;
    explicit SegmentInfo(Type segment_type_, size_t segment_index_ = 0,
                         const char* descriptor_ = nullptr)
        : segment_type(segment_type_), segment_index(segment_index_), descriptor(descriptor_) {}
  };

  virtual ~DataLoader() = default;

  /// `size` bytes from `offset`. InvalidArgument when they don't lie inside of the data. A size of
  /// 0 gives an empty buffer. The loader must outlive the buffer.
  ET_NODISCARD virtual Result<FreeableBuffer> load(size_t offset, size_t size,
                                                   const SegmentInfo& segment_info) const = 0;

  /// The same, copied into `buffer`, which has room for `size` bytes. NotImplemented by default.
  ET_NODISCARD virtual Error load_into(size_t offset, size_t size, const SegmentInfo& segment_info,
                                       void* buffer) const {
    (void)offset;
    (void)size;
    (void)segment_info;
    (void)buffer;
    ET_LOG(Error, "This data loader can't load into a buffer.");
    return Error::NotImplemented;
  }

  /// Bytes in all.
  ET_NODISCARD virtual Result<size_t> size() const = 0;
};

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::DataLoader;
}  // namespace torch::executor
