#pragma once

#include <cstddef>
#include <cstdint>
#include <executorch/runtime/backend/backend_options_map.h>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/event_tracer.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/executor/memory_manager.h>
#include <executorch/runtime/executor/method.h>
#include <executorch/runtime/executor/method_meta.h>
#include <executorch/runtime/kernel/operator_registry.h>
#include <executorch/runtime/platform/compiler.h>
#include <memory>

namespace executorch::runtime {

namespace internal {
class ProgramState;
}  // namespace internal

/// A loaded .pte file. May be used by several threads at once. Move-only.
class ET_API Program final {
 public:
  /// How much of the file is checked when it is loaded. What isn't checked then is checked where
  /// it is used.
  enum class Verification : uint8_t {
    /// Header and file size.
    Minimal,
    /// Every table, string and vector too.
    InternalConsistency,
  };

  /// The newest version of the format that is understood.
  static constexpr uint32_t kMaxSupportedSchemaVersion = 0;

  /// Loads a program. The loader has to outlive it. InvalidProgram when it is none.
  ET_NODISCARD static Result<Program> load(DataLoader* loader,
                                           Verification verification = Verification::Minimal);
  ET_DEPRECATED ET_NODISCARD static Result<Program> Load(
      DataLoader* loader, Verification verification = Verification::Minimal) {
    return load(loader, verification);
  }

  Program(Program&& other) noexcept;
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;
  Program& operator=(Program&&) = delete;
  ~Program();

  /// Constant `buffer_idx`, of which at least `nbytes` bytes exist.
  Result<const void*> get_constant_buffer_data(size_t buffer_idx, size_t nbytes) const;
  /// The program's named data; NotFound when it has none.
  Result<const NamedDataMap*> get_named_data_map() const;

  size_t num_methods() const;
  /// The name of method `method_index`; InvalidArgument without such a method.
  Result<const char*> get_method_name(size_t method_index) const;

  /// Makes a method ready. `named_data_map` holds what the program left in data files. Kernels of
  /// `kernel_registry` are preferred to those of the process; the list has to outlive the method.
  Result<Method> load_method(const char* method_name, MemoryManager* memory_manager,
                             EventTracer* event_tracer = nullptr,
                             const NamedDataMap* named_data_map = nullptr,
                             const LoadBackendOptionsMap* backend_options = nullptr,
                             Span<const Kernel> kernel_registry = {}) const;
  /// What is known of a method; InvalidArgument without such a method.
  Result<MethodMeta> method_meta(const char* method_name) const;

  /// How the outputs are nested, as the exporter wrote it.
  ET_DEPRECATED Result<const char*> get_output_flattening_encoding(
      const char* method_name = "forward") const;

  enum HeaderStatus {
    CompatibleVersion,
    IncompatibleVersion,
    /// No program at all.
    NotPresent,
    /// Fewer than kMinHeadBytes bytes.
    ShortData,
  };
  /// Bytes that check_header() looks at.
  static constexpr size_t kMinHeadBytes = 64;
  /// What the beginning of a file says.
  static HeaderStatus check_header(const void* data, size_t size);

 private:
  friend class Method;
  friend class internal::MethodState;
  friend class internal::ProgramState;

  explicit Program(std::unique_ptr<internal::ProgramState> state);

  std::unique_ptr<internal::ProgramState> state_;
};

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::Program;
}  // namespace torch::executor
