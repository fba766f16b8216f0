// What a Program holds: verified tables, and the way to the data behind them.
//
// For the executor: everything that `tables()` yields has been verified (verify.h says what that
// covers), so views may be read without checks, and the functions here fail for want of memory or
// access only. Two things of a tensor may still surprise:
//  - storage() == Storage::kNone means that its data pointer is null until something is moved,
//    copied or pointed there; a FreeCall makes it null again.
//  - an input of storage kNone that is not static may have sizes whose product overflows
//    (tensor_size() yields nothing): its capacity is unlimited.

#pragma once

#include <executorch/runtime/core/data_loader.h>
#include <executorch/runtime/core/freeable_buffer.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/executor/program.h>
#include <memory>
#include <optional>

#include "runtime/program/loading.h"
#include "runtime/program/pte_data_map.h"
#include "runtime/program/schema.h"

namespace executorch::runtime::internal {

class ProgramState {
 public:
  static Result<std::unique_ptr<ProgramState>> load(const DataLoader* loader,
                                                    Program::Verification verification);
  static const ProgramState& of(const Program& program) { return *program.state_; }

  const format::ProgramTable& tables() const { return program_; }
  /// The first method of that name, or InvalidArgument.
  Result<format::PlanTable> plan(const char* name) const;

  /// Data of a tensor whose storage is kConstant; valid as long as the program, aligned for its
  /// type.
  const void* constant(const format::TensorTable& tensor) const;
  /// Copies the first `size` bytes of the initial value of a tensor whose storage is
  /// kPlannedWithState to host memory. `size` is at most that of the tensor.
  Error load_state(const format::TensorTable& tensor, std::size_t size, void* destination) const;
  /// The blob of a delegate. Points into the tables, or is the caller's own.
  Result<FreeableBuffer> load_delegate_data(const format::DelegateTable& delegate) const;
  /// The program's named data, null when it has none.
  const NamedDataMap* named_data() const { return named_data_ ? &*named_data_ : nullptr; }

  /// Constant `index` of which `size` bytes are wanted; InvalidArgument when there are not so many.
  Result<const void*> constant_bytes(std::size_t index, std::size_t size) const;

 private:
  ProgramState(const DataLoader& loader, format::LoadedTables&& tables,
               const format::ProgramTable& program, FreeableBuffer&& constants);

  static Result<FreeableBuffer> load_constants(const DataLoader& loader,
                                               const format::ProgramTable& program,
                                               const format::Extents& extents);
  bool constants_in_segment() const;

  const DataLoader& loader_;
  format::LoadedTables tables_;
  format::ProgramTable program_;
  FreeableBuffer constants_;
  std::optional<PteDataMap> named_data_;
};

}  // namespace executorch::runtime::internal
