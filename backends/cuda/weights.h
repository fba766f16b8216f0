#pragma once

#include <cstddef>
#include <cstdint>
#include <executorch/runtime/core/named_data_map.h>
#include <map>
#include <memory>
#include <string>

#include "backends/cuda/error.h"

namespace executorch::backends::cuda {

/// The bytes of a storage of constants, on a device or, for the few constants that a library keeps
/// on the host, in its memory.
class Weights {
 public:
  Weights() = default;
  ~Weights();
  Weights(const Weights&) = delete;
  Weights& operator=(const Weights&) = delete;

  std::byte* data() const { return data_; }
  std::size_t bytes() const { return bytes_; }

  /// A copy of `bytes` bytes; `device` -1 is the host.
  [[nodiscard]] static Error create(const void* source, std::size_t bytes, int device,
                                    std::shared_ptr<Weights>* ret);
  /// Whether it still holds exactly these bytes.
  [[nodiscard]] Error holds(const void* source, std::size_t bytes, bool* ret) const;

 private:
  std::byte* data_ = nullptr;
  std::size_t bytes_ = 0;
  int device_ = -1;
};

/// What delegates share: every storage once per device, for as long as one of them uses it.
///
/// The name of a storage says which weights of its model it holds, not which model: two models may
/// use one name. So a storage is shared only when its bytes, too, are those that were asked for,
/// which is looked at each time. Storages that a model may write to are its own (kPrivate), unless
/// its user asked for methods to share them (kShared): then the name, the size and the bytes that
/// they began with decide.
class WeightStore {
 public:
  enum class Sharing { kPrivate, kConstant, kShared };

  static WeightStore& instance();

  /// The storage `key` of `bytes` bytes from `data`. NotFound when it is not among the data,
  /// InvalidExternalData when it is of another size.
  [[nodiscard]] Error get(const runtime::NamedDataMap* data, const std::string& key,
                          std::size_t bytes, int device, Sharing sharing,
                          std::shared_ptr<Weights>* ret);

 private:
  struct Entry;
  WeightStore() = default;
  struct State;
  State& state();
};

}  // namespace executorch::backends::cuda
