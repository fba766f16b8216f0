#include "verifier/cli/console.h"

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

#include "verifier/report/escape.h"
#include "verifier/report/report.h"

namespace wheelcheck::cli {

bool put(std::string_view text) {
  const bool whole = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (whole && std::fflush(stdout) == 0) return true;
  complain("wheelcheck: error: the report could not be written: " +
           std::string(std::strerror(errno)) + "\n");
  return false;
}

int say(std::string_view text) { return put(text) ? kExitClean : kExitUnreadable; }

void complain(std::string_view text) {
  std::fflush(stdout);
  // Nowhere is left to say that standard error is closed.
  if (std::fwrite(text.data(), 1, text.size(), stderr) != text.size()) return;
}

int usage_error(std::string_view message) {
  complain("wheelcheck: error: " + printable(message) + "\n");
  return kExitUsage;
}

bool want_colour(std::string_view when) {
  if (when != "auto") return when == "always";
  const char* no_colour = std::getenv("NO_COLOR");
  if (no_colour != nullptr && *no_colour != '\0') return false;
  const char* terminal = std::getenv("TERM");
  if (terminal == nullptr || std::strcmp(terminal, "dumb") == 0) return false;
  return isatty(STDOUT_FILENO) == 1;
}

bool progress_is_seen() { return isatty(STDERR_FILENO) == 1; }

}  // namespace wheelcheck::cli
