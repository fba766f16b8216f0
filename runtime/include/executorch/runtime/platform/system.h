#pragma once

#include <dlfcn.h>
#include <executorch/runtime/platform/compiler.h>

[[maybe_unused]] static constexpr const char* DYNAMIC_LIBRARY_NOT_SUPPORTED = "NOT_SUPPORTED";
[[maybe_unused]] static constexpr const char* DYNAMIC_LIBRARY_NOT_FOUND = "NOT_FOUND";

extern "C" {

/// Path of the library or program that holds `addr`, or DYNAMIC_LIBRARY_NOT_FOUND.
inline const char* et_pal_get_shared_library_name(const void* addr) {
  Dl_info info;
  if (dladdr(addr, &info) != 0 && info.dli_fname != nullptr) {
    return info.dli_fname;
  }
  return DYNAMIC_LIBRARY_NOT_FOUND;
}

}  // extern "C"
