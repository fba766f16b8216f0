// Prepares the delegates of a method with their backends.

#include <executorch/runtime/platform/log.h>
#include <new>

#include "runtime/backend/registry.h"
#include "runtime/executor/delegate_data_map.h"
#include "runtime/executor/method_state.h"

namespace executorch::runtime::internal {

namespace {

Error read_specs(const format::DelegateTable& table, CompileSpec* specs) {
  const auto tables = table.compile_specs();
  for (std::uint32_t i = 0; i < tables.size(); ++i) {
    const auto value = tables[i].value();
    // Backends take the value as writable, and none may write to it.
    new (&specs[i])
        CompileSpec{tables[i].key().data, {const_cast<std::uint8_t*>(value.data()), value.size()}};
  }
  return Error::Ok;
}

}  // namespace

Error MethodState::load_delegates(const LoadArguments& arguments) {
  const auto tables = plan_.delegates();
  Delegate* delegates = nullptr;
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(tables.size(), &delegates));
  for (std::uint32_t i = 0; i < tables.size(); ++i) new (&delegates[i]) Delegate();
  delegates_ = {delegates, tables.size()};
  for (std::uint32_t i = 0; i < tables.size(); ++i) {
    ET_CHECK_OK_OR_RETURN_ERROR(load_delegate(tables[i], arguments, delegates_[i]),
                                "Delegate %u of method '%s' (%s) can't be loaded.", i,
                                plan_.name().data, tables[i].id().data);
  }
  return Error::Ok;
}

Error MethodState::load_delegate(const format::DelegateTable& table, const LoadArguments& arguments,
                                 Delegate& delegate) {
  const char* const id = table.id().data;
  ET_ASSIGN_OR_RETURN(backend, find_backend(id));
  ET_ASSIGN_OR_RETURN(processed, program_.load_delegate_data(table));
  delegate.processed.~FreeableBuffer();
  new (&delegate.processed) FreeableBuffer(std::move(processed));

  CompileSpec* specs = nullptr;
  const std::size_t spec_count = table.compile_specs().size();
  ET_CHECK_OK_OR_RETURN_ERROR(allocate(spec_count, &specs));
  ET_CHECK_OK_OR_RETURN_ERROR(read_specs(table, specs));

  const DelegateDataMap both(arguments.external_data, program_.named_data());
  Span<const BackendOption> options;
  if (arguments.backend_options != nullptr) options = arguments.backend_options->get_options(id);
  BackendInitContext context(memory_.method_allocator(), tracer_, plan_.name().data, both.map(),
                             options);
  auto handle = backend->init(context, &delegate.processed, {specs, spec_count});
  ET_CHECK_OK_OR_RETURN_ERROR(handle.error());
  delegate.handle = *handle;
  // From here on it has to be destroyed.
  delegate.backend = backend;
  return Error::Ok;
}

}  // namespace executorch::runtime::internal
