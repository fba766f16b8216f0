#pragma once

#include <executorch/runtime/backend/interface.h>

namespace executorch::runtime::internal {

/// The backend of that name. NotFound, with a message that names the cure, when it isn't
/// registered or isn't available on this machine.
Result<BackendInterface*> find_backend(const char* name);

}  // namespace executorch::runtime::internal
