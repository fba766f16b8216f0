#include "backends/cuda/library.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <mutex>
#include <vector>

#include "backends/cuda/binding.h"
#include "backends/cuda/error.h"
#include "backends/cuda/image.h"
#include "backends/cuda/private_file.h"
#include "backends/cuda/symbols.h"

namespace executorch::backends::cuda {
namespace {

std::mutex libraries_mutex;

// Never destroyed: libraries outlive everything that could use them.
std::vector<const AotiLibrary*>& libraries() {
  static auto* const all = new std::vector<const AotiLibrary*>();
  return *all;
}

bool equal(std::span<const std::uint8_t> one, std::span<const std::uint8_t> other) {
  return one.size() == other.size() && std::memcmp(one.data(), other.data(), one.size()) == 0;
}

// The SHA-256 that a name begins with; empty without one.
std::string digest_of_name(const std::string& key) {
  constexpr std::size_t kDigits = 64;
  if (key.size() <= kDigits || key[kDigits] != '_') return {};
  std::string digest = key.substr(0, kDigits);
  const bool hexadecimal = digest.find_first_not_of("0123456789abcdef") == std::string::npos;
  return hexadecimal ? digest : std::string();
}

Error check_digest(const Sha256& digest, const std::string& key) {
  const std::string wanted = digest_of_name(key);
  if (!wanted.empty() && wanted != to_hex(digest)) {
    FAIL(InvalidProgram,
         "the library '%s' has the SHA-256 %s: its bytes are not those of the export", key.c_str(),
         to_hex(digest).c_str());
  }
  return Error::Ok;
}

}  // namespace

Error AotiLibrary::get(std::span<const std::uint8_t> image, const std::string& key,
                       const AotiLibrary** ret) {
  if (image.empty()) FAIL(InvalidProgram, "the library '%s' is empty", key.c_str());
  const std::lock_guard lock(libraries_mutex);
  const auto& all = libraries();
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const AotiLibrary* one) { return equal(one->image_, image); });
  if (found != all.end()) {
    OK_OR_RETURN(check_digest((*found)->digest_, key));
    *ret = *found;
    return Error::Ok;
  }
  const Sha256 digest = sha256(image);
  OK_OR_RETURN(check_digest(digest, key));
  auto* const made = new AotiLibrary();
  made->digest_ = digest;
  if (const Error error = made->load(image, key.c_str()); error != Error::Ok) {
    // The few bytes of the object are all that is left of it.
    if (made->handle_ != nullptr) dlclose(made->handle_);
    return error;
  }
  libraries().push_back(made);
  *ret = made;
  return Error::Ok;
}

Error AotiLibrary::load(std::span<const std::uint8_t> image, const char* name) {
  Imports imports;
  OK_OR_RETURN(read_imports(image, name, &imports));
  OK_OR_RETURN(make_imports_visible());
  OK_OR_RETURN(check_imports(imports, name));
  PrivateFile file;
  OK_OR_RETURN(file.create(image));
  handle_ = dlopen(file.path().c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle_ == nullptr) {
    FAIL(AccessFailed, "the library '%s' can't be loaded: %s", name, dlerror());
  }
  OK_OR_RETURN(find_functions(name));
  OK_OR_RETURN(bind_to_shims(handle_, name));
  return file.map(&image_);
}

Error AotiLibrary::find_functions(const char* name) {
  std::string missing;
  const auto find = [&](auto*& function, const std::string& symbol, bool required) {
    void* const address = dlsym(handle_, symbol.c_str());
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(address);
    if (address == nullptr && required) missing += (missing.empty() ? "" : ", ") + symbol;
  };
  const std::string container = "AOTInductorModelContainer";
  AotiFunctions& all = functions_;
  find(all.create, container + "CreateWithDevice", true);
  find(all.destroy, container + "Delete", true);
  find(all.num_inputs, container + "GetNumInputs", true);
  find(all.num_outputs, container + "GetNumOutputs", true);
  find(all.run, container + "Run", true);
  find(all.run_single_threaded, container + "RunSingleThreaded", false);
  find(all.num_constants, container + "GetNumConstants", false);
  find(all.constant_name, container + "GetConstantName", false);
  find(all.constant_fqn, container + "GetConstantOriginalFQN", false);
  find(all.constant_is_folded, container + "GetConstantFromFolded", false);
  find(all.constant_type, container + "GetConstantType", false);
  find(all.constant_dtype, container + "GetConstantDtype", false);
  find(all.constant_bytes, container + "GetConstantDataSize", false);
  find(all.use_constants, container + "UpdateUserManagedConstantBufferPairs", false);
  find(all.load_constants, "AOTInductorModelUpdateConstantsFromBlob", false);
  if (!missing.empty()) {
    FAIL(InvalidProgram, "'%s' is not a compiled model: it lacks %s", name, missing.c_str());
  }
  return Error::Ok;
}

}  // namespace executorch::backends::cuda
