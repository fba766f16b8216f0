#include "backends/cuda/library.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <mutex>
#include <type_traits>
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
    REFUSE(InvalidProgram,
           "the library '%s' has the SHA-256 %s: its bytes are not those of the export",
           key.c_str(), to_hex(digest).c_str());
  }
  return Error::Ok;
}

}  // namespace

Error AotiLibrary::get(std::span<const std::uint8_t> image, const std::string& key,
                       const AotiLibrary** ret) {
  if (image.empty()) REFUSE(InvalidProgram, "the library '%s' is empty", key.c_str());
  const std::lock_guard lock(libraries_mutex);
  const auto& all = libraries();
  const auto found = std::find_if(all.begin(), all.end(),
                                  [&](const AotiLibrary* one) { return one->is_of(image); });
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
    if (made->handle_ != nullptr) dlclose(made->handle_);
    delete made;
    return error;
  }
  libraries().push_back(made);
  *ret = made;
  return Error::Ok;
}

bool AotiLibrary::is_of(std::span<const std::uint8_t> image) const {
  if (image.size() != image_.size()) return false;
  const auto same = [&](std::size_t begin, std::size_t end) {
    return std::memcmp(image.data() + begin, image_.data() + begin, end - begin) == 0;
  };
  if (changed_at_ == 0) return same(0, image.size());
  const auto at = static_cast<std::size_t>(changed_at_);
  return same(0, at) && same(at + sizeof(Elf64_Word), image.size());
}

Error AotiLibrary::load(std::span<const std::uint8_t> image, const char* name) {
  Imports imports;
  OK_OR_RETURN(read_imports(image, name, &imports));
  OK_OR_RETURN(make_imports_visible());
  OK_OR_RETURN(check_imports(imports, name));
  load_cpp_runtime();
  PrivateFile file;
  OK_OR_RETURN(file.create(image));
  // The exporter's linker marks it as in need of an executable stack, which it is not: the kernels
  // inside come without a word on that. Newer systems refuse such libraries, older ones obey.
  if (imports.executable_stack_flags != 0) {
    constexpr std::uint8_t kReadAndWrite[sizeof(Elf64_Word)] = {PF_R | PF_W, 0, 0, 0};
    OK_OR_RETURN(file.overwrite(imports.executable_stack_flags, kReadAndWrite));
    changed_at_ = imports.executable_stack_flags;
  }
  handle_ = dlopen(file.path().c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (handle_ == nullptr) {
    REFUSE(AccessFailed, "the library '%s' can't be loaded: %s", name, dlerror());
  }
  OK_OR_RETURN(find_functions(name));
  OK_OR_RETURN(bind_imports(handle_, name));
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
    REFUSE(InvalidProgram, "'%s' is not a compiled model: it lacks %s", name, missing.c_str());
  }
  return Error::Ok;
}

}  // namespace executorch::backends::cuda
