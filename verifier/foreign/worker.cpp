#include "verifier/foreign/worker.h"

#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <new>
#include <string>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "verifier/foreign/child.h"
#include "verifier/foreign/wire.h"
#include "verifier/foreign/worker_modes.h"
#include "verifier/foreign/worker_protocol.h"

namespace wheelcheck {

namespace {

std::optional<std::uint64_t> parse_number(const char* text) {
  std::uint64_t value = 0;
  const char* end = text + std::strlen(text);
  const auto parsed = std::from_chars(text, end, value);
  if (parsed.ec != std::errc() || parsed.ptr != end) return std::nullopt;
  return value;
}

bool limit(int resource, std::uint64_t soft, std::uint64_t hard) {
  const rlimit value{static_cast<rlim_t>(soft), static_cast<rlim_t>(hard)};
  return setrlimit(static_cast<__rlimit_resource>(resource), &value) == 0;
}

bool confine(std::uint64_t memory, std::uint64_t cpu_seconds) {
  // Nothing may outlive the check: the parent dies, so does the worker.
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (kMemoryLimitEnforced && !limit(RLIMIT_AS, memory, memory)) return false;
  // LIEF catches std::bad_alloc inside and then returns what it has so far, which would pass for a
  // file that holds no more than that. So no allocation may fail and come back.
  std::set_new_handler([] { _exit(worker::kExitOutOfMemory); });
  return limit(RLIMIT_CPU, cpu_seconds, cpu_seconds + 1) && limit(RLIMIT_CORE, 0, 0) &&
         limit(RLIMIT_FSIZE, 0, 0);
}

bool send(Bytes bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(worker::kOutputFd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(written));
  }
  return true;
}

int work(const std::string& mode) {
  struct Mode {
    const char* name;
    bool (*write)(const std::string& path, wire::Writer& out);
  };
  constexpr Mode kModes[] = {
      {"elf", worker::write_elf}, {"mach-o", worker::write_mach_o}, {"pe", worker::write_pe}};

  const std::string path = "/proc/self/fd/" + std::to_string(worker::kInputFd);
  for (const Mode& known : kModes) {
    if (mode != known.name) continue;
    wire::Writer answer;
    if (!known.write(path, answer)) return worker::kExitRefused;
    wire::Writer end;
    end.number(wire::kEnd);
    const bool sent = send(as_bytes(wire::kMagic)) && send(answer.bytes()) && send(end.bytes());
    return sent ? 0 : worker::kExitBroken;
  }
  return worker::misbehave(mode) ? 0 : worker::kExitBroken;
}

}  // namespace

std::optional<int> run_lief_worker_if_asked(int argc, char** argv) {
  if (argc < 2 || argv[1] != worker::kArgument) return std::nullopt;
  // A user who types the argument gets an error, not a program that reads file 3.
  if (argc != 5 || std::getenv(worker::kInsideVariable) == nullptr) return worker::kExitBroken;
  const auto memory = parse_number(argv[3]);
  const auto cpu_seconds = parse_number(argv[4]);
  if (!memory || !cpu_seconds || !confine(*memory, *cpu_seconds)) return worker::kExitBroken;
  // Without the destructors: LIEF's objects of a big file take longer to free than to make, and a
  // damaged heap must not spoil an answer that is out already.
  _exit(work(argv[2]));
}

}  // namespace wheelcheck
