#include "runtime/backend/registry.h"

#include <atomic>
#include <cstring>
#include <mutex>

namespace executorch::runtime {
namespace {

constexpr size_t kMaxBackends = 16;

// Constant-initialised: libraries register from their static initialisers. Entries never change
// once the count covers them, so readers need no lock.
Backend backends[kMaxBackends];
std::atomic<size_t> count{0};
std::mutex registering;

// What makes a backend available, by its name in programs.
struct Cure {
  const char* backend;
  const char* cure;
};
constexpr Cure kCures[] = {
    {"CudaBackend",
     "Link executorch::backend_cuda (libexecutorch_backend_cuda.so with -Wl,--no-as-needed)."},
    {"XnnpackBackend",
     "This runtime has no XNNPACK: export the program without the XnnpackPartitioner."},
};
constexpr const char* kGeneralCure =
    "Link the library of that backend, with -Wl,--no-as-needed, or export the program without it.";

const char* cure_of(const char* name) {
  for (const Cure& cure : kCures) {
    if (std::strcmp(cure.backend, name) == 0) {
      return cure.cure;
    }
  }
  return kGeneralCure;
}

}  // namespace

BackendInterface::~BackendInterface() = default;

BackendInterface* get_backend_class(const char* name) {
  const size_t registered = count.load(std::memory_order_acquire);
  for (size_t i = 0; i < registered; ++i) {
    if (std::strcmp(backends[i].name, name) == 0) {
      return backends[i].backend;
    }
  }
  return nullptr;
}

Error register_backend(const Backend& backend) {
  ET_CHECK_OR_RETURN_ERROR(backend.name != nullptr && backend.backend != nullptr, InvalidArgument,
                           "%s", "A backend without a name or an object.");
  const std::lock_guard<std::mutex> lock(registering);
  const size_t registered = count.load(std::memory_order_relaxed);
  ET_CHECK_OR_RETURN_ERROR(registered < kMaxBackends, Internal,
                           "No room for backend %s: there are %zu already.", backend.name,
                           registered);
  ET_CHECK_OR_RETURN_ERROR(get_backend_class(backend.name) == nullptr, InvalidArgument,
                           "Backend %s is registered twice.", backend.name);
  backends[registered] = backend;
  count.store(registered + 1, std::memory_order_release);
  return Error::Ok;
}

size_t get_num_registered_backends() { return count.load(std::memory_order_acquire); }

Result<const char*> get_backend_name(size_t index) {
  const size_t registered = get_num_registered_backends();
  ET_CHECK_OR_RETURN_ERROR(index < registered, InvalidArgument, "Backend %zu of %zu.", index,
                           registered);
  return backends[index].name;
}

namespace internal {

Result<BackendInterface*> find_backend(const char* name) {
  BackendInterface* const backend = get_backend_class(name);
  if (backend == nullptr) {
    ET_LOG(Error, "Backend %s is not registered (%zu backends are). %s", name,
           get_num_registered_backends(), cure_of(name));
    return Error::NotFound;
  }
  if (!backend->is_available()) {
    ET_LOG(Error, "Backend %s is registered, but can't work on this machine.", name);
    return Error::NotFound;
  }
  return backend;
}

}  // namespace internal

namespace {

// A backend that options are handed to: it need not be available yet.
Result<BackendInterface*> backend_for_options(const char* name) {
  BackendInterface* const backend = get_backend_class(name);
  if (backend == nullptr) {
    ET_LOG(Error, "Backend %s is not registered, so that it has no options. %s", name,
           cure_of(name));
    return Error::NotFound;
  }
  return backend;
}

}  // namespace

Error set_option(const char* backend_name, const Span<BackendOption> backend_options) {
  const Result<BackendInterface*> backend = backend_for_options(backend_name);
  if (!backend.ok()) {
    return backend.error();
  }
  BackendOptionContext context;
  return (*backend)->set_option(context, backend_options);
}

Error get_option(const char* backend_name, Span<BackendOption> backend_options) {
  const Result<BackendInterface*> backend = backend_for_options(backend_name);
  if (!backend.ok()) {
    return backend.error();
  }
  BackendOptionContext context;
  return (*backend)->get_option(context, backend_options);
}

}  // namespace executorch::runtime
