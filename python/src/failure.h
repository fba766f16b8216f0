// What the runtime logs, as the words of Python's exceptions.

#pragma once

#include <executorch/runtime/core/error.h>
#include <executorch/runtime/core/result.h>
#include <string>
#include <utility>
#include <vector>

namespace executorch::python {

/// Collects the errors that the runtime logs on this thread while the object lives: a function of
/// the runtime returns a code, and says in the log what it is about. What no exception took is
/// logged after all when the object ends. Scopes nest.
class LogScope {
 public:
  LogScope();
  ~LogScope();
  LogScope(const LogScope&) = delete;
  LogScope& operator=(const LogScope&) = delete;

  /// Throws what becomes a RuntimeError: "<what>, error: 0x<code>: <collected words>".
  [[noreturn]] void fail(const std::string& what, runtime::Error error);
  /// fail() unless `error` is Ok.
  void check(runtime::Error error, const std::string& what) {
    if (error != runtime::Error::Ok) fail(what, error);
  }
  /// The value of `result`, or fail().
  template <typename T>
  T take(runtime::Result<T>&& result, const std::string& what) {
    check(result.error(), what);
    return std::move(*result);
  }

  struct Message {
    std::string text;
    const char* file;
    std::size_t line;
  };
  /// For the log's receiver: false when there are enough messages already.
  bool add(Message message);

 private:
  LogScope* outer_;
  std::vector<Message> messages_;
};

/// Lets LogScope receive what the runtime logs. Once, when the extension is imported.
void install_log_receiver();

}  // namespace executorch::python
