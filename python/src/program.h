// A program with everything it needs to stay alive.

#pragma once

#include <executorch/extension/memory_allocator/planned_arenas.h>
#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/named_data_map.h>
#include <executorch/runtime/executor/program.h>
#include <memory>
#include <mutex>
#include <nanobind/nanobind.h>
#include <optional>
#include <string>
#include <vector>

namespace executorch::python {

using runtime::Program;

/// Where the bytes of a program or of its data come from: a file, which is mapped, or an object
/// with the buffer protocol, which is kept alive and not copied when it can't change (bytes).
class Source {
 public:
  static Source file(std::string path);
  /// Holds the GIL. Throws nanobind::python_error when the object has no buffer.
  static Source buffer(nanobind::handle object);
  /// Holds the GIL.
  static Source loader(nanobind::handle object);

  /// Throws std::runtime_error in the runtime's words.
  std::unique_ptr<runtime::DataLoader> open() const;
  /// For messages.
  const std::string& name() const { return name_; }

 private:
  std::string name_;
  enum class Kind { kFile, kBuffer, kLoader } kind_ = Kind::kFile;
  nanobind::object owner_;
  std::shared_ptr<void> copy_;
  const void* data_ = nullptr;
  std::size_t size_ = 0;
};

/// Whether methods use the same memory for the second planned buffer, in which the exporter puts
/// mutable state that methods share.
enum class SharedState { kNo, kYes };

/// A loaded program. Shared by its methods and by what describes them.
class LoadedProgram {
 public:
  /// Throws std::runtime_error in the runtime's words.
  static std::shared_ptr<LoadedProgram> load(Source program, std::optional<Source> data,
                                             Program::Verification verification,
                                             SharedState shared_state);

  const Program& program() const { return *program_; }
  /// The program's data, read when it is first asked for; null when there is none. Throws
  /// std::runtime_error in the runtime's words.
  const runtime::NamedDataMap* data_map();
  std::vector<std::string> method_names() const;
  /// Throws std::runtime_error for a name that the program doesn't have.
  runtime::MethodMeta method_meta(const std::string& name) const;

  /// The memory of a method. Throws std::runtime_error in the runtime's words.
  std::unique_ptr<extension::PlannedArenas> arenas(const runtime::MethodMeta& meta);
  /// Held while a method runs that uses memory which others use as well; null for one that doesn't.
  std::shared_ptr<std::mutex> shared_memory_lock(const runtime::MethodMeta& meta) const;

 private:
  LoadedProgram(Source program, std::optional<Source> data, SharedState shared_state)
      : source_(std::move(program)), data_source_(std::move(data)), shared_state_(shared_state) {}

  bool shares(const runtime::MethodMeta& meta) const;

  // In the order in which they depend on each other.
  Source source_;
  std::optional<Source> data_source_;
  SharedState shared_state_;
  std::unique_ptr<runtime::DataLoader> loader_;
  std::unique_ptr<runtime::DataLoader> data_loader_;
  std::unique_ptr<runtime::NamedDataMap> data_map_;
  std::optional<Program> program_;
  std::mutex mutex_;  // of data_map_ and shared_arenas_
  std::unique_ptr<extension::PlannedArenas> shared_arenas_;
  std::shared_ptr<std::mutex> shared_lock_ = std::make_shared<std::mutex>();
};

}  // namespace executorch::python
