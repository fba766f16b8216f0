#pragma once

#include <cstddef>
#include <executorch/runtime/backend/backend_execution_context.h>
#include <executorch/runtime/backend/backend_init_context.h>
#include <executorch/runtime/backend/backend_option_context.h>
#include <executorch/runtime/backend/options.h>
#include <executorch/runtime/core/array_ref.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/evalue.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/memory_allocator.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/platform/compiler.h>

namespace executorch::runtime {

struct SizedBuffer {
  void* buffer;
  size_t nbytes;
};

/// A setting that the program was exported with. The value is bytes, not NUL-terminated.
struct CompileSpec {
  const char* key;
  SizedBuffer value;
};

/// Whatever a backend keeps of an initialised delegate.
using DelegateHandle = void;

/// A backend: runs the parts of programs that were exported for it. One object serves all of
/// them, from several threads at once, for the life of the process.
class ET_API BackendInterface {
 public:
  virtual ~BackendInterface() = 0;

  /// Whether it can work on this machine.
  ET_NODISCARD virtual bool is_available() const = 0;

  /// Prepares a delegate. `processed` is what the export left for it; it outlives the handle, and
  /// may be freed as soon as it isn't needed. The specs live as long as the method.
  ET_NODISCARD virtual Result<DelegateHandle*> init(BackendInitContext& context,
                                                    FreeableBuffer* processed,
                                                    ArrayRef<CompileSpec> compile_specs) const = 0;

  /// Runs a delegate on its inputs, followed by its outputs.
  ET_NODISCARD virtual Error execute(BackendExecutionContext& context, DelegateHandle* handle,
                                     Span<EValue*> args) const = 0;

  /// Takes options of the backend; Ok by default.
  ET_NODISCARD virtual Error set_option(BackendOptionContext& context,
                                        const Span<BackendOption>& backend_options) {
    (void)context;
    (void)backend_options;
    return Error::Ok;
  }
  /// Fills in the values of the options whose keys are given; Ok by default.
  ET_NODISCARD virtual Error get_option(BackendOptionContext& context,
                                        Span<BackendOption>& backend_options) {
    (void)context;
    (void)backend_options;
    return Error::Ok;
  }

  /// Ends a delegate. Called once per init() that succeeded.
  virtual void destroy(DelegateHandle* handle) const { (void)handle; }
};

/// The backend of that name, or null.
ET_API BackendInterface* get_backend_class(const char* name);

/// A backend with its name. The name and the object have to outlive the process's use.
struct Backend {
  const char* name;
  BackendInterface* backend;
};

/// Adds a backend. InvalidArgument when the name is taken, Internal when there are 16 already.
ET_NODISCARD ET_API Error register_backend(const Backend& backend);
ET_API size_t get_num_registered_backends();
/// The name of backend `index`, in the order of registration. InvalidArgument without such a one.
ET_API Result<const char*> get_backend_name(size_t index);

/// Hands options to a backend; NotFound when it isn't registered.
ET_API Error set_option(const char* backend_name, const Span<BackendOption> backend_options);
/// Reads options of a backend; NotFound when it isn't registered.
ET_API Error get_option(const char* backend_name, Span<BackendOption> backend_options);

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::Backend;
using ::executorch::runtime::CompileSpec;
using ::executorch::runtime::DelegateHandle;
using ::executorch::runtime::get_backend_class;
using ::executorch::runtime::register_backend;
using ::executorch::runtime::SizedBuffer;
using PyTorchBackendInterface = ::executorch::runtime::BackendInterface;
}  // namespace torch::executor
