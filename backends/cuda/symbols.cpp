#include "backends/cuda/symbols.h"

#include <dlfcn.h>

#include "backends/cuda/error.h"
#include "backends/cuda/shims_table.h"

namespace executorch::backends::cuda {
namespace {

// With all that it needs. The handle is kept, so that it stays.
Error make_visible(const char* path) {
  // The program itself is visible already.
  if (*path == '\0') return Error::Ok;
  if (dlopen(path, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL) == nullptr) {
    REFUSE(AccessFailed, "%s can't be made visible to compiled libraries: %s", path, dlerror());
  }
  return Error::Ok;
}

// Libraries that are held open while symbols are looked for in them.
class Opened {
 public:
  Opened() = default;
  ~Opened() {
    for (void* handle : handles_) dlclose(handle);
  }
  Opened(const Opened&) = delete;
  Opened& operator=(const Opened&) = delete;

  bool add(const char* name) {
    void* const handle = dlopen(name, RTLD_LAZY | RTLD_LOCAL);
    if (handle == nullptr) return false;
    handles_.push_back(handle);
    return true;
  }
  bool has(const char* symbol) const {
    for (void* handle : handles_) {
      if (dlsym(handle, symbol) != nullptr) return true;
    }
    return false;
  }

 private:
  std::vector<void*> handles_;
};

}  // namespace

Error make_imports_visible() {
  static const Error result = [] {
    if (shims().library == nullptr) REFUSE(NotFound, "the library of the shims can't be found");
    // The CUDA runtime is among what the shims need.
    return make_visible(shims().path);
  }();
  return result;
}

void load_cpp_runtime() {
  static const bool loaded = dlopen("libstdc++.so.6", RTLD_LAZY | RTLD_GLOBAL) != nullptr;
  if (!loaded) {
    ET_LOG(Error,
           "CudaBackend: libstdc++.so.6 can't be loaded: a second compiled library may crash");
  }
}

Error check_imports(const Imports& imports, const char* name) {
  Opened opened;
  for (const std::string& library : imports.libraries) {
    if (opened.add(library.c_str())) continue;
    const char* const reason = dlerror();
    REFUSE(NotFound, "the library '%s' needs %s, which can't be loaded: %s%s", name,
           library.c_str(), reason == nullptr ? "no reason given" : reason,
           library == "libcuda.so.1" ? ". It belongs to the NVIDIA driver." : "");
  }
  std::size_t missing = 0;
  for (const std::string& symbol : imports.symbols) {
    if (dlsym(RTLD_DEFAULT, symbol.c_str()) != nullptr || opened.has(symbol.c_str())) continue;
    ++missing;
    ET_LOG(Error, "CudaBackend: nothing in this process defines %s", symbol.c_str());
  }
  if (missing != 0) {
    REFUSE(NotSupported,
           "the library '%s' imports %zu function%s that %s missing here (named above): the "
           "program was "
           "exported by a newer release, or on a newer system.",
           name, missing, missing == 1 ? "" : "s", missing == 1 ? "is" : "are");
  }
  return Error::Ok;
}

}  // namespace executorch::backends::cuda
