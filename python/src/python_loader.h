// A data loader that is written in Python.

#pragma once

#include <executorch/runtime/core/data_loader.h>
#include <nanobind/nanobind.h>

namespace executorch::python {

/// Asks an object: `size()` is the number of bytes, and `load(offset, size)` gives that many of
/// them as an object with the buffer protocol. They are copied. What the object raises is logged,
/// in words, as AccessFailed. Functions take the GIL.
class PythonLoader final : public runtime::DataLoader {
 public:
  /// Holds the GIL.
  explicit PythonLoader(nanobind::object object) : object_(std::move(object)) {}

  runtime::Result<runtime::FreeableBuffer> load(std::size_t offset, std::size_t size,
                                                const SegmentInfo& info) const override;
  runtime::Error load_into(std::size_t offset, std::size_t size, const SegmentInfo& info,
                           void* buffer) const override;
  runtime::Result<std::size_t> size() const override;

 private:
  nanobind::object object_;
};

}  // namespace executorch::python
