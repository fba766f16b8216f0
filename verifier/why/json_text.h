#pragma once

#include <string>

#include "nlohmann/json.hpp"

#include "verifier/report/escape.h"

namespace wheelcheck {

/// The text as it may stand in a document; null for none.
inline nlohmann::ordered_json text_or_null(const std::string& text) {
  return text.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(valid_utf8(text));
}

}  // namespace wheelcheck
