#include <chrono>
#include <csignal>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <vector>

#include "verifier/foreign/worker_modes.h"
#include "verifier/foreign/worker_protocol.h"

namespace wheelcheck::worker {

namespace {

void say(std::string_view text) {
  if (write(kOutputFd, text.data(), text.size()) < 0) _exit(kExitBroken);
}

}  // namespace

bool misbehave(const std::string& mode) {
  if (mode == "test-sleep") {
    std::this_thread::sleep_for(std::chrono::minutes(10));
  } else if (mode == "test-spin") {
    for (volatile std::uint64_t turn = 0;;) turn = turn + 1;
  } else if (mode == "test-allocate") {
    // Caught, as LIEF does: the limit must be seen all the same.
    try {
      std::vector<std::vector<char>> hoard;
      for (;;) hoard.emplace_back(16u << 20, 'x');
    } catch (const std::exception&) {
      say(wire::kMagic);
    }
  } else if (mode == "test-crash") {
    std::signal(SIGSEGV, SIG_DFL);  // a sanitizer's handler would turn it into an exit status
    raise(SIGSEGV);
  } else if (mode == "test-exit") {
    _exit(7);
  } else if (mode == "test-flood") {
    const std::string chunk(1u << 16, 'x');
    for (;;) say(chunk);
  } else if (mode == "test-truncate") {
    say(wire::kMagic);
    say("half an answer");
  } else {
    return false;
  }
  return true;
}

}  // namespace wheelcheck::worker
