#include "verifier/core/result.h"

#include <cstdio>

namespace wheelcheck {

std::string Error::message() const {
  std::string text = where.empty() ? what : where + ": " + what;
  if (offset) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, " (offset 0x%llx)",
                  static_cast<unsigned long long>(*offset));
    text += buffer;
  }
  return text;
}

}  // namespace wheelcheck
