// Registers the delegate and the memory of CUDA devices with the runtime.

#include <executorch/runtime/backend/interface.h>

#include "backends/cuda/delegate.h"
#include "backends/cuda/device_allocator.h"

namespace executorch::backends::cuda {
namespace {

class CudaBackend final : public runtime::BackendInterface {
 public:
  // A machine without a device hears that from init(), in words.
  bool is_available() const override { return true; }

  runtime::Result<runtime::DelegateHandle*> init(
      runtime::BackendInitContext& context, runtime::FreeableBuffer* processed,
      runtime::ArrayRef<runtime::CompileSpec> specs) const override {
    std::unique_ptr<Delegate> delegate;
    const Error error = guarded("loading a delegate", [&] {
      return Delegate::create(context, processed, specs, ProcessOptions::instance().get(),
                              &delegate);
    });
    if (error != Error::Ok) return error;
    return static_cast<runtime::DelegateHandle*>(delegate.release());
  }

  Error execute(runtime::BackendExecutionContext& context, runtime::DelegateHandle* handle,
                runtime::Span<runtime::EValue*> arguments) const override {
    static_cast<void>(context);
    return guarded("running a delegate",
                   [&] { return static_cast<Delegate*>(handle)->execute(arguments); });
  }

  Error set_option(runtime::BackendOptionContext& context,
                   const runtime::Span<runtime::BackendOption>& options) override {
    static_cast<void>(context);
    return guarded("setting an option", [&] {
      return ProcessOptions::instance().apply({options.data(), options.size()});
    });
  }

  Error get_option(runtime::BackendOptionContext& context,
                   runtime::Span<runtime::BackendOption>& options) override {
    static_cast<void>(context);
    return guarded("reading an option", [&] { return ProcessOptions::instance().read(options); });
  }

  void destroy(runtime::DelegateHandle* handle) const override {
    delete static_cast<Delegate*>(handle);
  }
};

// The runtime keeps both for the life of the process, longer than this library's statics.
const bool registered = [] {
  static_cast<void>(runtime::register_backend({"CudaBackend", new CudaBackend()}));
  runtime::register_device_allocator(new CudaAllocator());
  return true;
}();

}  // namespace
}  // namespace executorch::backends::cuda
