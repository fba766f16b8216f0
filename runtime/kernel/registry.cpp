#include "runtime/kernel/registry.h"

#include <atomic>
#include <cstring>
#include <executorch/runtime/platform/system.h>
#include <mutex>

namespace executorch::runtime {
namespace {

constexpr size_t kMaxKernels = 2000;
// A power of two, at most half full, so that probing ends soon.
constexpr size_t kSlots = 4096;
static_assert(kSlots >= 2 * kMaxKernels);

// Constant-initialised: libraries register from their static initialisers. A kernel never changes
// once a slot names it, so readers need no lock.
Kernel kernels[kMaxKernels];
std::atomic<size_t> count{0};
// Hash table by operator name with linear probing: number of the kernel + 1, 0 for a free slot.
std::atomic<uint16_t> slots[kSlots];
std::mutex registering;

size_t hash(const char* name) {
  uint64_t value = 0xcbf29ce484222325;  // FNV-1a
  for (; *name != '\0'; ++name) {
    value = (value ^ static_cast<unsigned char>(*name)) * 0x100000001b3;
  }
  return static_cast<size_t>(value ^ (value >> 32)) & (kSlots - 1);
}

// Calls visit(kernel) for each kernel of that name until it returns true. Returns the free slot at
// which the search ended, or kSlots when `visit` ended it.
template <typename Visit>
size_t for_each_of_name(const char* name, Visit visit) {
  size_t slot = hash(name);
  for (uint16_t entry = 0; (entry = slots[slot].load(std::memory_order_acquire)) != 0;
       slot = (slot + 1) & (kSlots - 1)) {
    const Kernel& kernel = kernels[entry - 1];
    if (std::strcmp(kernel.name_, name) == 0 && visit(kernel)) {
      return kSlots;
    }
  }
  return slot;
}

const char* library_of(const Kernel& kernel) {
  return et_pal_get_shared_library_name(reinterpret_cast<const void*>(kernel.op_));
}

[[noreturn]] void refuse_duplicate(const Kernel& first, const Kernel& second) {
  ET_LOG(Error, "%s%s%s is in %s", second.name_, second.kernel_key_.is_fallback() ? "" : " for ",
         second.kernel_key_.is_fallback() ? "" : second.kernel_key_.data(), library_of(first));
  ET_LOG(Error, "    and again in %s", library_of(second));
  ET_CHECK_MSG(false, "operator %s is registered twice: link only one of the two libraries",
               second.name_);
}

Error register_kernel_locked(const Kernel& kernel) {
  const size_t registered = count.load(std::memory_order_relaxed);
  ET_CHECK_MSG(registered < kMaxKernels, "%zu kernels are registered, %s would be one too many",
               registered, kernel.name_);
  const Kernel* same = nullptr;
  const size_t slot = for_each_of_name(kernel.name_, [&](const Kernel& other) {
    same = other.kernel_key_ == kernel.kernel_key_ ? &other : nullptr;
    return same != nullptr;
  });
  if (same != nullptr) {
    refuse_duplicate(*same, kernel);
  }
  kernels[registered] = kernel;
  count.store(registered + 1, std::memory_order_release);
  slots[slot].store(static_cast<uint16_t>(registered + 1), std::memory_order_release);
  return Error::Ok;
}

// Chooses among the kernels of one name: the one with the tensors' key, else the fallback. The key
// is only made when there is a kernel to compare it with.
class Choice {
 public:
  explicit Choice(Span<const TensorMeta> metas) : metas_(metas) {}

  // Returns whether the search is over.
  bool consider(const Kernel& kernel) {
    if (kernel.kernel_key_.is_fallback()) {
      if (fallback_ == nullptr) {
        fallback_ = kernel.op_;
      }
      return metas_.empty();
    }
    if (metas_.empty()) {
      return false;
    }
    if (!key_made_) {
      key_made_ = true;
      // A key that is too long is nobody's.
      key_ok_ = internal::make_kernel_key_string(metas_, key_, sizeof(key_)) == Error::Ok;
    }
    if (key_ok_ && std::strcmp(kernel.kernel_key_.data(), key_) == 0) {
      exact_ = kernel.op_;
    }
    return exact_ != nullptr;
  }
  OpFunction result() const { return exact_ != nullptr ? exact_ : fallback_; }

 private:
  Span<const TensorMeta> metas_;
  OpFunction exact_ = nullptr;
  OpFunction fallback_ = nullptr;
  bool key_made_ = false;
  bool key_ok_ = false;
  char key_[internal::kKernelKeyBufSize];
};

OpFunction find(const char* name, Span<const TensorMeta> metas) {
  Choice choice(metas);
  for_each_of_name(name, [&](const Kernel& kernel) { return choice.consider(kernel); });
  return choice.result();
}

OpFunction find_in_list(const char* name, Span<const TensorMeta> metas,
                        Span<const Kernel> kernel_list) {
  Choice choice(metas);
  for (const Kernel& kernel : kernel_list) {
    if (kernel.name_ != nullptr && std::strcmp(kernel.name_, name) == 0 &&
        choice.consider(kernel)) {
      break;
    }
  }
  return choice.result();
}

}  // namespace

Error register_kernels(const Span<const Kernel> new_kernels) {
  const std::lock_guard<std::mutex> lock(registering);
  for (const Kernel& kernel : new_kernels) {
    ET_CHECK_MSG(kernel.name_ != nullptr && kernel.op_ != nullptr, "%s",
                 "a kernel without a name or a function");
    const Error error = register_kernel_locked(kernel);
    if (error != Error::Ok) {
      return error;
    }
  }
  return Error::Ok;
}

Span<const Kernel> get_registered_kernels() {
  return {kernels, count.load(std::memory_order_acquire)};
}

bool registry_has_op_function(const char* name, Span<const TensorMeta> meta_list) {
  return find(name, meta_list) != nullptr;
}

Result<OpFunction> get_op_function_from_registry(const char* name,
                                                 Span<const TensorMeta> meta_list) {
  return get_op_function_from_registry(name, meta_list, {});
}

Result<OpFunction> get_op_function_from_registry(const char* name, Span<const TensorMeta> meta_list,
                                                 Span<const Kernel> kernel_list) {
  OpFunction function = find_in_list(name, meta_list, kernel_list);
  if (function == nullptr) {
    function = find(name, meta_list);
  }
  if (function == nullptr) {
    return Error::OperatorMissing;
  }
  return function;
}

namespace internal {

void log_missing_operator(const char* name) {
  ET_LOG(Error, "Missing operator: %s (kernels of %zu operators are registered).", name,
         get_registered_kernels().size());
  if (std::strncmp(name, "aten::", 6) == 0 || std::strncmp(name, "dim_order_ops::", 15) == 0 ||
      std::strncmp(name, "et_copy::", 9) == 0) {
    ET_LOG(Error,
           "Link executorch::kernels_optimized (libexecutorch_kernels_optimized.so with "
           "-Wl,--no-as-needed), or a library of your own that has this kernel.");
  } else {
    ET_LOG(Error,
           "Link the library that has this kernel, with -Wl,--no-as-needed; EXECUTORCH_LIBRARY "
           "registers one.");
  }
}

}  // namespace internal
}  // namespace executorch::runtime
