#include "python/src/python_loader.h"

#include <cstring>
#include <executorch/runtime/platform/log.h>
#include <memory>

#include "python/src/memory.h"

namespace nb = nanobind;

namespace executorch::python {

namespace {

using runtime::Error;
using runtime::FreeableBuffer;
using runtime::Result;

// What an object gave, read-only, for as long as this lives. Lives with the GIL.
class Bytes {
 public:
  explicit Bytes(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0) nb::raise_python_error();
  }
  ~Bytes() { PyBuffer_Release(&view_); }
  Bytes(const Bytes&) = delete;
  Bytes& operator=(const Bytes&) = delete;

  const void* data() const { return view_.buf; }
  std::size_t size() const { return static_cast<std::size_t>(view_.len); }

 private:
  Py_buffer view_;
};

// Calls `function` with the GIL; what it throws becomes an error in words.
template <typename Function>
auto guarded(const char* what, Function function) -> decltype(function()) {
  const nb::gil_scoped_acquire gil;
  try {
    return function();
  } catch (nb::python_error& error) {
    // Without the traceback, for which a message has no room.
    const nb::str type(error.type().attr("__name__"));
    const nb::str value(error.value());
    ET_LOG(Error, "The data loader's %s failed: %s: %s", what, type.c_str(), value.c_str());
    return Error::AccessFailed;
  } catch (const std::exception& error) {
    ET_LOG(Error, "The data loader's %s failed: %s", what, error.what());
    return Error::AccessFailed;
  }
}

Result<std::unique_ptr<Bytes>> bytes_of(nb::handle object, std::size_t offset, std::size_t size) {
  auto bytes = std::make_unique<Bytes>(object.attr("load")(offset, size));
  ET_CHECK_OR_RETURN_ERROR(bytes->size() == size, AccessFailed,
                           "The data loader gave %zu bytes instead of %zu.", bytes->size(), size);
  return bytes;
}

}  // namespace

Result<FreeableBuffer> PythonLoader::load(std::size_t offset, std::size_t size,
                                          const SegmentInfo&) const {
  return guarded("load", [&]() -> Result<FreeableBuffer> {
    if (size == 0) return FreeableBuffer(nullptr, 0, nullptr);
    ET_ASSIGN_OR_RETURN(bytes, bytes_of(object_, offset, size));
    // A copy: what was verified must neither change nor lie askew.
    auto copy = std::make_unique<std::shared_ptr<void>>(host_memory(size));
    std::memcpy(copy->get(), bytes->data(), size);
    const void* const data = copy->get();
    return FreeableBuffer(
        data, size,
        [](void* owner, void*, std::size_t) { delete static_cast<std::shared_ptr<void>*>(owner); },
        copy.release());
  });
}

Error PythonLoader::load_into(std::size_t offset, std::size_t size, const SegmentInfo&,
                              void* buffer) const {
  return guarded("load", [&]() -> Error {
    if (size == 0) return Error::Ok;
    const auto bytes = bytes_of(object_, offset, size);
    if (bytes.ok()) std::memcpy(buffer, (*bytes)->data(), size);
    return bytes.error();
  });
}

Result<std::size_t> PythonLoader::size() const {
  return guarded("size", [&]() -> Result<std::size_t> {
    return nb::cast<std::size_t>(object_.attr("size")());
  });
}

}  // namespace executorch::python
