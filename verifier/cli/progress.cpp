#include "verifier/cli/progress.h"

#include <algorithm>

#include "verifier/cli/console.h"
#include "verifier/report/amounts.h"
#include "verifier/report/escape.h"

namespace wheelcheck::cli {
namespace {

constexpr auto kFirst = std::chrono::milliseconds(500);
constexpr auto kThen = std::chrono::milliseconds(100);
constexpr std::size_t kNameWidth = 40;

}  // namespace

void Progress::show(const std::string& file, std::uint64_t done, std::uint64_t total) {
  const std::lock_guard lock(mutex_);
  const auto now = Clock::now();
  if (now - last_ < (shown_ ? kThen : kFirst)) return;
  last_ = now;
  shown_ = true;
  std::string name = file.substr(file.find_last_of('/') + 1);
  if (name.size() > kNameWidth) name = name.substr(0, kNameWidth - 3) + "...";
  std::string line = "\r\033[K";
  if (wheels_ > 1) {
    line += "[" + std::to_string(wheels_done_ + 1) + "/" + std::to_string(wheels_) + "] ";
  }
  const std::uint64_t percent = total == 0
                                    ? 100
                                    : static_cast<std::uint64_t>(100.0 * static_cast<double>(done) /
                                                                 static_cast<double>(total));
  line += printable(name) + ": " + std::to_string(std::min<std::uint64_t>(percent, 100)) + "% of " +
          bytes_text(total);
  complain(line);
}

void Progress::clear() {
  const std::lock_guard lock(mutex_);
  if (shown_) complain("\r\033[K");
  shown_ = false;
  last_ = Clock::now();
}

void Progress::wheel_done() {
  clear();
  const std::lock_guard lock(mutex_);
  ++wheels_done_;
}

}  // namespace wheelcheck::cli
