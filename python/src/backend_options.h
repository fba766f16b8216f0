// Options for backends, from Python's dictionaries.

#pragma once

#include <executorch/runtime/backend/backend_options_map.h>
#include <nanobind/nanobind.h>
#include <string>
#include <vector>

namespace executorch::python {

/// A copy of {backend: {key: value}}, values being bool, int or str.
class BackendOptionsCopy {
 public:
  BackendOptionsCopy() = default;
  /// Holds the GIL. Throws nanobind::type_error, or nanobind::value_error for what is too long.
  explicit BackendOptionsCopy(const nanobind::dict& options);
  BackendOptionsCopy(const BackendOptionsCopy&) = delete;
  BackendOptionsCopy& operator=(const BackendOptionsCopy&) = delete;

  /// Views this object.
  const runtime::LoadBackendOptionsMap& map() const { return map_; }

 private:
  // Never resized once it is viewed.
  std::vector<std::vector<runtime::BackendOption>> storage_;
  runtime::LoadBackendOptionsMap map_;
};

/// One backend's options. As above.
std::vector<runtime::BackendOption> backend_options(const nanobind::dict& options);

}  // namespace executorch::python
