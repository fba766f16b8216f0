#include "verifier/foreign/child.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <optional>
#include <poll.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "verifier/foreign/text.h"
#include "verifier/foreign/wire.h"
#include "verifier/foreign/worker_protocol.h"

namespace wheelcheck {

namespace {

using Clock = std::chrono::steady_clock;

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Fd& operator=(Fd&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~Fd() { reset(); }
  void reset() {
    if (fd_ >= 0) close(fd_);
    fd_ = -1;
  }
  [[nodiscard]] int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_ = -1;
};

// Away from the numbers that the worker's files get, so that moving one cannot overwrite another.
Fd moved_up(Fd fd) { return Fd(fcntl(fd.get(), F_DUPFD_CLOEXEC, 10)); }

std::string system_reason() { return std::strerror(errno); }  // NOLINT: glibc's is per thread

class Worker {
 public:
  Worker(const std::string& where, const ChildLimits& limits, std::uint64_t file_size)
      : where_(where), limits_(limits) {
    memory_ = limits.memory_bytes + limits.memory_per_file_byte * file_size;
    deadline_ = Clock::now() + std::chrono::seconds(limits.wall_seconds);
  }

  Result<std::vector<std::byte>> run(const std::string& mode, Bytes file) {
    if (std::getenv(worker::kInsideVariable) != nullptr) {
      return fail("the LIEF worker was started by a program that does not know how to be one");
    }
    if (auto error = start(mode, file)) return std::move(*error);
    auto failed = listen();
    const int status = reap(failed.has_value());
    if (failed) return std::move(*failed);
    if (auto error = judge(status)) return std::move(*error);
    return unframe();
  }

 private:
  Error fail(std::string what) const { return Error{where_, std::move(what), std::nullopt}; }

  std::optional<Error> start(const std::string& mode, Bytes file) {
    Fd input = moved_up(Fd(memfd_create("wheelcheck-input", MFD_CLOEXEC)));
    if (!input) return fail("no anonymous file for the LIEF worker: " + system_reason());
    for (std::size_t done = 0; done < file.size();) {
      const ssize_t written = write(input.get(), file.data() + done, file.size() - done);
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0)
        return fail("could not hand the file to the LIEF worker: " + system_reason());
      done += static_cast<std::size_t>(written);
    }
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return fail("no pipe for the LIEF worker: " + system_reason());
    output_ = moved_up(Fd(ends[0]));
    const Fd output = moved_up(Fd(ends[1]));
    if (!output_ || !output) return fail("no pipe for the LIEF worker: " + system_reason());
    return spawn(mode, input.get(), output.get());
  }

  // posix_spawn and not fork: another thread may hold the allocator's lock at this moment.
  std::optional<Error> spawn(const std::string& mode, int input, int output) {
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    // What a dying worker prints is told by its status; only a sanitizer's report says more.
    if (kMemoryLimitEnforced) {
      posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    }
    posix_spawn_file_actions_adddup2(&actions, input, worker::kInputFd);
    posix_spawn_file_actions_adddup2(&actions, output, worker::kOutputFd);
    posix_spawn_file_actions_addclosefrom_np(&actions, worker::kOutputFd + 1);

    std::vector<std::string> words{limits_.program, std::string(worker::kArgument), mode,
                                   std::to_string(memory_), std::to_string(limits_.cpu_seconds)};
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    std::string inside = std::string(worker::kInsideVariable) + "=1";
    std::vector<char*> environment;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
      environment.push_back(*entry);
    }
    environment.push_back(inside.data());
    environment.push_back(nullptr);

    const int failed = posix_spawn(&pid_, limits_.program.c_str(), &actions, nullptr,
                                   arguments.data(), environment.data());
    posix_spawn_file_actions_destroy(&actions);
    if (failed == 0) return std::nullopt;
    pid_ = -1;
    errno = failed;
    return fail("the LIEF worker " + limits_.program + " could not be started: " + system_reason());
  }

  [[nodiscard]] int milliseconds_left() const {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline_ - Clock::now()).count();
    return left < 0 ? 0 : static_cast<int>(std::min<long long>(left, 60'000));
  }

  // Reads the answer until the worker closes its end.
  std::optional<Error> listen() {
    constexpr std::size_t kChunk = 1u << 16;
    for (;;) {
      pollfd ready{output_.get(), POLLIN, 0};
      const int count = poll(&ready, 1, milliseconds_left());
      if (count < 0 && errno != EINTR) return fail("lost the LIEF worker: " + system_reason());
      if (count <= 0) {
        if (Clock::now() < deadline_) continue;
        return out_of_time();
      }
      const std::size_t old_size = answer_.size();
      answer_.resize(old_size + kChunk);
      const ssize_t got = read(output_.get(), answer_.data() + old_size, kChunk);
      answer_.resize(old_size + (got > 0 ? static_cast<std::size_t>(got) : 0));
      if (got == 0) return std::nullopt;
      if (got < 0 && errno != EINTR) return fail("lost the LIEF worker: " + system_reason());
      if (answer_.size() > limits_.answer_bytes) {
        return fail("the LIEF worker's answer is longer than " + bytes_text(limits_.answer_bytes));
      }
    }
  }

  [[nodiscard]] Error out_of_time() const {
    return fail("the LIEF worker took longer than " + std::to_string(limits_.wall_seconds) +
                " seconds and was stopped");
  }

  // The worker's wait status. It is given until the deadline to end by itself after a full answer,
  // and none after a failure; what is left of it then is killed.
  int reap(bool kill_now) {
    output_.reset();
    int status = 0;
    bool killed = kill_now;
    if (kill_now) kill(pid_, SIGKILL);
    for (;;) {
      const pid_t ended = waitpid(pid_, &status, killed ? 0 : WNOHANG);
      if (ended == pid_ || (ended < 0 && errno != EINTR)) return ended == pid_ ? status : -1;
      if (ended == 0 && Clock::now() >= deadline_) {
        kill(pid_, SIGKILL);
        killed = true;
      } else if (ended == 0) {
        std::this_thread::sleep_for(std::chrono::microseconds(200));
      }
    }
  }

  // Turns how the worker ended into words.
  [[nodiscard]] std::optional<Error> judge(int status) const {
    if (status == -1) return fail("the LIEF worker's end could not be observed");
    if (WIFSIGNALED(status)) {
      const int signal = WTERMSIG(status);
      if (signal == SIGXCPU) {
        return fail("the LIEF worker used more than " + std::to_string(limits_.cpu_seconds) +
                    " seconds of processor time and was stopped");
      }
      if (signal == SIGKILL && Clock::now() >= deadline_) return out_of_time();
      if (signal == SIGKILL) return fail("the LIEF worker was killed, perhaps for lack of memory");
      return fail("LIEF crashed on this file (signal " + std::to_string(signal) + ", " +
                  strsignal(signal) + ")");
    }
    switch (WEXITSTATUS(status)) {
      case 0:
        return std::nullopt;
      case worker::kExitOutOfMemory:
        return fail("LIEF needed more than its " + std::to_string(memory_ >> 20) +
                    " MiB of memory for this file");
      case worker::kExitRefused:
        return fail("LIEF does not recognise this file");
      case worker::kExitBroken:
        return fail("the LIEF worker could not set itself up");
      default:
        return fail("LIEF ended with status " + std::to_string(WEXITSTATUS(status)) +
                    " on this file");
    }
  }

  Result<std::vector<std::byte>> unframe() {
    if (!as_text(answer_).starts_with(wire::kMagic)) {
      return fail("the LIEF worker gave no answer; is " + limits_.program +
                  " a program that knows how to be one?");
    }
    if (answer_.size() < wire::kMagic.size() + 8 ||
        read_at<std::uint64_t>(answer_, answer_.size() - 8) != wire::kEnd) {
      return fail("the LIEF worker's answer is cut off");
    }
    answer_.erase(answer_.begin(),
                  answer_.begin() + static_cast<std::ptrdiff_t>(wire::kMagic.size()));
    answer_.resize(answer_.size() - 8);
    return std::move(answer_);
  }

  const std::string& where_;
  const ChildLimits& limits_;
  std::uint64_t memory_ = 0;
  Clock::time_point deadline_;
  Fd output_;
  pid_t pid_ = -1;
  std::vector<std::byte> answer_;
};

}  // namespace

Result<std::vector<std::byte>> ask_lief_worker(const std::string& where, const std::string& mode,
                                               Bytes file, const ChildLimits& limits) {
  return Worker(where, limits, file.size()).run(mode, file);
}

}  // namespace wheelcheck
