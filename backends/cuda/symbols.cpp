#include "backends/cuda/symbols.h"

#include <dlfcn.h>
#include <link.h>

#include "backends/cuda/error.h"
#include "shims/abi.h"

namespace executorch::backends::cuda {
namespace {

Error make_visible(void* function, const char* what) {
  Dl_info info{};
  link_map* library = nullptr;
  if (dladdr1(function, &info, reinterpret_cast<void**>(&library), RTLD_DL_LINKMAP) == 0 ||
      library == nullptr) {
    FAIL(Internal, "the library of %s can't be found", what);
  }
  // The program itself is visible already.
  if (library->l_name == nullptr || *library->l_name == '\0') return Error::Ok;
  // With all that it needs. The handle is kept, so that it stays.
  if (dlopen(library->l_name, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL) == nullptr) {
    FAIL(AccessFailed, "%s can't be made visible to compiled libraries: %s", library->l_name,
         dlerror());
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
    OK_OR_RETURN(
        make_visible(reinterpret_cast<void*>(&aoti_torch_delete_tensor_object), "the shims"));
    return make_visible(reinterpret_cast<void*>(&cudaGetDeviceCount), "the CUDA runtime");
  }();
  return result;
}

Error check_imports(const Imports& imports, const char* name) {
  Opened opened;
  for (const std::string& library : imports.libraries) {
    if (opened.add(library.c_str())) continue;
    const char* const reason = dlerror();
    FAIL(NotFound, "the library '%s' needs %s, which can't be loaded: %s%s", name, library.c_str(),
         reason == nullptr ? "no reason given" : reason,
         library == "libcuda.so.1" ? ". It belongs to the NVIDIA driver." : "");
  }
  std::size_t missing = 0;
  for (const std::string& symbol : imports.symbols) {
    if (dlsym(RTLD_DEFAULT, symbol.c_str()) != nullptr || opened.has(symbol.c_str())) continue;
    ++missing;
    ET_LOG(Error, "CudaBackend: nothing in this process defines %s", symbol.c_str());
  }
  if (missing != 0) {
    FAIL(NotSupported,
         "the library '%s' imports %zu function%s that %s missing here (named above). The program "
         "may "
         "come from a newer release.",
         name, missing, missing == 1 ? "" : "s", missing == 1 ? "is" : "are");
  }
  return Error::Ok;
}

}  // namespace executorch::backends::cuda
