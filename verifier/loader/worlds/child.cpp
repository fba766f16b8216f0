#include "verifier/loader/worlds/child.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

namespace wheelcheck::worlds {

namespace {

constexpr off_t kMostRead = 8 << 20;
constexpr int kLongest = 30'000;  // milliseconds

std::string read_back(int file) {
  const off_t size = ::lseek(file, 0, SEEK_END);
  if (size <= 0) return {};
  std::string text(static_cast<std::size_t>(size < kMostRead ? size : kMostRead), '\0');
  const ssize_t got = ::pread(file, text.data(), text.size(), 0);
  text.resize(got < 0 ? 0 : static_cast<std::size_t>(got));
  return text;
}

void empty(int file) {
  if (::ftruncate(file, 0) == 0) ::lseek(file, 0, SEEK_SET);
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

}  // namespace

Runner::Runner()
    : out_(::memfd_create("world-out", MFD_CLOEXEC)),
      err_(::memfd_create("world-err", MFD_CLOEXEC)) {}

Runner::~Runner() {
  ::close(out_);
  ::close(err_);
}

Result<Written> Runner::run(const Request& request) {
  empty(out_);
  empty(err_);
  std::vector<std::string> arguments = request.arguments;
  std::vector<std::string> environment = request.environment;
  std::vector<char*> argv = pointers(arguments);
  std::vector<char*> envp = pointers(environment);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out_, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, request.together ? out_ : err_, STDERR_FILENO);
  if (!request.directory.empty()) {
    posix_spawn_file_actions_addchdir_np(&actions, request.directory.c_str());
  }
  pid_t child = 0;
  const int problem =
      ::posix_spawn(&child, request.program.c_str(), &actions, nullptr, argv.data(), envp.data());
  posix_spawn_file_actions_destroy(&actions);
  if (problem != 0) {
    return Error{request.program, std::string("cannot be run: ") + std::strerror(problem),
                 std::nullopt};
  }
  Written written;
  // Some worlds send the real loader round forever; its process is then ours to end.
  const int handle = static_cast<int>(::syscall(SYS_pidfd_open, child, 0));
  pollfd ended{handle, POLLIN, 0};
  if (handle >= 0 && ::poll(&ended, 1, kLongest) == 0) ::kill(child, SIGKILL);
  if (handle >= 0) ::close(handle);
  while (::waitpid(child, &written.status, 0) < 0 && errno == EINTR) {
  }
  written.out = read_back(out_);
  written.err = read_back(err_);
  return written;
}

}  // namespace wheelcheck::worlds
