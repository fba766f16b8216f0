#pragma once

#include <cstddef>
#include <cstdint>
#include <executorch/runtime/core/error.h>
#include <span>
#include <string>

#include "backends/cuda/sha256.h"
#include "shims/abi.h"

namespace executorch::backends::cuda {

struct AotiContainer;
/// One constant that a container is told to use, under its internal name.
struct AotiConstant {
  const char* name;
  AtenTensorHandle tensor;
};

/// The C functions of a compiled library. All return 0 for success. Those up to `run` are always
/// there; the others may be null.
struct AotiFunctions {
  int (*create)(AotiContainer**, std::size_t models, const char* device, const char* cubins);
  int (*destroy)(AotiContainer*);
  int (*num_inputs)(AotiContainer*, std::size_t*);
  int (*num_outputs)(AotiContainer*, std::size_t*);
  /// Takes the inputs' handles (nulls those it took) and writes new handles to the outputs.
  int (*run)(AotiContainer*, AtenTensorHandle* inputs, std::size_t, AtenTensorHandle* outputs,
             std::size_t, void* stream, void* proxy);
  /// The same without its own bookkeeping: only enqueues. One call at a time.
  int (*run_single_threaded)(AotiContainer*, AtenTensorHandle*, std::size_t, AtenTensorHandle*,
                             std::size_t, void* stream, void* proxy);
  int (*num_constants)(AotiContainer*, std::size_t*);
  int (*constant_name)(AotiContainer*, std::size_t, const char**);
  int (*constant_fqn)(AotiContainer*, std::size_t, const char**);
  int (*constant_is_folded)(AotiContainer*, std::size_t, bool*);
  int (*constant_type)(AotiContainer*, std::size_t, std::int32_t*);
  int (*constant_dtype)(AotiContainer*, std::size_t, std::int32_t*);
  int (*constant_bytes)(AotiContainer*, std::size_t, std::size_t*);
  int (*use_constants)(AotiContainer*, const AotiConstant*, std::size_t, bool inactive,
                       bool all_are_given);
  int (*load_constants)(AotiContainer*, const std::uint8_t* blob);
};

/// A compiled library in this process. It stays for good: it may hold symbols that are unique in a
/// process, after which unloading it is not possible, and a second program with the same library
/// uses the one that is there.
class AotiLibrary {
 public:
  /// The library with this content, loaded if it is not yet. `key` is its name among the program's
  /// data, for messages; when it begins with a SHA-256 in hexadecimal, the content must have it.
  /// InvalidProgram for content that is damaged or not what the name says; NotSupported when the
  /// process lacks symbols that it needs, each of which the log names, or when it is for another
  /// processor; NotFound when a library is missing that it needs.
  [[nodiscard]] static runtime::Error get(std::span<const std::uint8_t> image,
                                          const std::string& key, const AotiLibrary** ret);

  const AotiFunctions& functions() const { return functions_; }
  const Sha256& digest() const { return digest_; }

  AotiLibrary(const AotiLibrary&) = delete;
  AotiLibrary& operator=(const AotiLibrary&) = delete;

 private:
  AotiLibrary() = default;
  ~AotiLibrary() = default;
  runtime::Error load(std::span<const std::uint8_t> image, const char* name);
  runtime::Error find_functions(const char* name);

  Sha256 digest_{};
  /// Whether it was made of these bytes.
  bool is_of(std::span<const std::uint8_t> image) const;

  /// The library's own file, mapped once more, to be compared with; and where it was changed, or 0.
  std::span<const std::uint8_t> image_;
  std::uint64_t changed_at_ = 0;
  void* handle_ = nullptr;
  AotiFunctions functions_{};
};

}  // namespace executorch::backends::cuda
