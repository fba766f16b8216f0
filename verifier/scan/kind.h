#pragma once

#include <string_view>

#include "verifier/core/bytes.h"
#include "verifier/wheel/facts.h"

namespace wheelcheck {

/// What a file is, by its first bytes: 4 KiB or the whole file, whichever is less. Never by name.
[[nodiscard]] ContentKind classify(Bytes head);

/// Whether rules read the member's text: all of dist-info, and the files elsewhere that say where
/// and which version something is.
[[nodiscard]] bool keeps_text(std::string_view path, std::string_view dist_info,
                              bool keep_headers = false);

}  // namespace wheelcheck
