#pragma once

#include <cstdint>
#include <executorch/runtime/core/error.h>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace executorch::backends::cuda {

/// What an export leaves for the delegate: the names under which the compiled library and its
/// weights are found among a program's named data. Four forms are read:
///   nothing                      `<method>_so_blob` and `<method>_weights_blob`   (1.2, 1.3)
///   "<library>\n<weights>"       both names                                       (1.4)
///   "ETCUDAFQN3" and a manifest  one library, and every constant with its storage (1.5)
///   "ETCUDAFQN0" and a manifest  one library for each of several architectures, and the same

/// One constant of a manifest: a view of a storage, which several may share.
struct ConstantEntry {
  std::string fqn;
  std::string storage_key;
  std::uint64_t storage_bytes = 0;
  std::int32_t dtype = 0;
  bool on_device = false;
  std::int64_t storage_offset = 0;  ///< elements
  std::vector<std::int64_t> sizes;
  std::vector<std::int64_t> strides;  ///< elements
};

struct LibraryVariant {
  std::uint32_t target_sm = 0;    ///< 90 for compute capability 9.0; 0: for any device
  std::uint32_t ptx_compute = 0;  ///< of the PTX inside; 0 without
  bool fallback_only = false;
  std::string key;
};

struct Payload {
  std::vector<LibraryVariant> libraries;
  /// Without a manifest, the weights are one blob, under this name.
  bool has_manifest = false;
  std::string weights_key;
  std::vector<ConstantEntry> constants;
};

/// Reads the payload; `method_name` names the data when it is empty. Every view of a constant is
/// within its storage. InvalidProgram for what does not hold together, NotSupported for a form that
/// is not known; the log says which, and where.
[[nodiscard]] runtime::Error parse_payload(std::span<const std::uint8_t> bytes,
                                           std::string_view method_name, Payload* ret);

/// The library for a device of compute capability `sm` (90 for 9.0): the only one when it is for
/// any device; else that of exactly this architecture; else one whose PTX the driver can compile
/// for it, when it is meant as the fallback or is the only one. NotSupported when there is none.
[[nodiscard]] runtime::Error choose_library(const Payload& payload, std::uint32_t sm,
                                            const LibraryVariant** ret);

}  // namespace executorch::backends::cuda
