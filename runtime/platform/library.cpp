// The library's own file: everything else is compiled as objects.
#include <executorch/runtime/platform/compiler.h>

namespace executorch::runtime::internal {

/// Which runtime this is, for people who look into the library.
ET_API extern const char kRuntimeName[];
const char kRuntimeName[] = "wheelcheck's ExecuTorch runtime";

}  // namespace executorch::runtime::internal
