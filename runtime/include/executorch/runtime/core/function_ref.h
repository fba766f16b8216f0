#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace executorch::runtime {

template <typename Signature>
class FunctionRef;

/// A reference to something callable, which has to outlive it. For parameters.
template <typename Ret, typename... Params>
class FunctionRef<Ret(Params...)> {
 public:
  FunctionRef() = default;
  FunctionRef(std::nullptr_t) {}
  template <typename Callable,
            typename = std::enable_if_t<!std::is_same_v<std::decay_t<Callable>, FunctionRef> &&
                                        std::is_invocable_r_v<Ret, Callable&, Params...>>>
  FunctionRef(Callable&& callable)
      : callback_(&invoke<std::remove_reference_t<Callable>>),
        callable_(reinterpret_cast<intptr_t>(&callable)) {}

  Ret operator()(Params... params) const {
    return callback_(callable_, std::forward<Params>(params)...);
  }
  explicit operator bool() const { return callback_ != nullptr; }
  bool operator==(const FunctionRef& other) const { return callable_ == other.callable_; }

 private:
  template <typename Callable>
  static Ret invoke(intptr_t callable, Params... params) {
    return (*reinterpret_cast<Callable*>(callable))(std::forward<Params>(params)...);
  }

  Ret (*callback_)(intptr_t, Params...) = nullptr;
  intptr_t callable_ = 0;
};

}  // namespace executorch::runtime
