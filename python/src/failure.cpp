#include "python/src/failure.h"

#include <cstdio>
#include <executorch/runtime/platform/platform.h>
#include <stdexcept>

namespace executorch::python {

namespace {

// A program that fails in a loop must not fill the memory with words.
constexpr std::size_t kMaxMessages = 32;

thread_local LogScope* innermost = nullptr;
pal_emit_log_message_method next_receiver = nullptr;

void receive(et_timestamp_t timestamp, et_pal_log_level_t level, const char* filename,
             const char* function, size_t line, const char* message, size_t length) {
  if (level == kError && innermost != nullptr &&
      innermost->add({std::string(message, length), filename, line})) {
    return;
  }
  next_receiver(timestamp, level, filename, function, line, message, length);
}

}  // namespace

LogScope::LogScope() : outer_(std::exchange(innermost, this)) {}

LogScope::~LogScope() {
  innermost = outer_;
  const et_timestamp_t now = messages_.empty() ? 0 : runtime::pal_current_ticks();
  for (const Message& message : messages_) {
    next_receiver(now, kError, message.file, "", message.line, message.text.c_str(),
                  message.text.size());
  }
}

bool LogScope::add(Message message) {
  if (messages_.size() == kMaxMessages) return false;
  messages_.push_back(std::move(message));
  return true;
}

void LogScope::fail(const std::string& what, runtime::Error error) {
  char code[32];
  std::snprintf(code, sizeof(code), ", error: 0x%02x", static_cast<unsigned>(error));
  std::string text = what + code;
  for (std::size_t i = 0; i < messages_.size(); ++i) {
    text += i == 0 ? ": " : " ";
    text += messages_[i].text;
  }
  messages_.clear();
  throw std::runtime_error(text);
}

void install_log_receiver() {
  if (next_receiver != nullptr) return;
  next_receiver = runtime::get_pal_impl()->emit_log_message;
  runtime::register_pal(runtime::PalImpl::create(receive, __FILE__));
}

}  // namespace executorch::python
