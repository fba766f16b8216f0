#include "verifier/report/symbol_name.h"

#include <algorithm>
#include <optional>

namespace wheelcheck {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_symbol_character(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' ||
         c == '.';
}

/// Takes names off the front of what follows "_Z".
class Name {
 public:
  explicit Name(std::string_view encoded) : rest_(encoded) {}

  /// The qualified name; nothing: not one that is understood.
  std::optional<std::string> read() {
    if (take("N")) {
      while (take("r") || take("V") || take("K")) {
      }
      if (take("St")) text_ = "std";
      while (!take("E")) {
        if (!component()) return std::nullopt;
      }
    } else {
      if (take("St")) text_ = "std";
      if (!component()) return std::nullopt;
    }
    if (last_.empty()) return std::nullopt;
    // What follows encodes the parameters of a function; data has nothing behind its name.
    if (rest_ == "v") {
      text_ += "()";
    } else if (!rest_.empty()) {
      if (rest_.front() == 'I') return std::nullopt;  // arguments of a template
      text_ += "(...)";
    }
    return text_;
  }

 private:
  bool take(std::string_view prefix) {
    if (!rest_.starts_with(prefix)) return false;
    rest_.remove_prefix(prefix.size());
    return true;
  }

  bool component() {
    const bool constructor = rest_.starts_with('C');
    if ((constructor || rest_.starts_with('D')) && rest_.size() >= 2 && is_digit(rest_[1])) {
      if (last_.empty()) return false;
      rest_.remove_prefix(2);
      text_ += constructor ? "::" : "::~";
      text_ += last_;
      return true;
    }
    take("L");  // internal linkage
    const auto name = source_name();
    if (!name) return false;
    last_ = name->starts_with("_GLOBAL__N_") ? "(anonymous namespace)" : *name;
    if (!text_.empty()) text_ += "::";
    text_ += last_;
    while (take("B")) {
      const auto tag = source_name();
      if (!tag) return false;
      text_ += "[abi:" + std::string(*tag) + "]";
    }
    return true;
  }

  std::optional<std::string_view> source_name() {
    std::size_t length = 0;
    while (!rest_.empty() && is_digit(rest_.front()) && length <= rest_.size()) {
      length = length * 10 + static_cast<std::size_t>(rest_.front() - '0');
      rest_.remove_prefix(1);
    }
    if (length == 0 || length > rest_.size()) return std::nullopt;
    const std::string_view name = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return name;
  }

  std::string_view rest_;
  std::string_view last_;
  std::string text_;
};

}  // namespace

std::string readable_symbols(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    // One run of characters that a symbol may have, then what separates it from the next.
    const std::size_t length = static_cast<std::size_t>(
        std::find_if_not(text.begin(), text.end(), is_symbol_character) - text.begin());
    const std::string_view run = text.substr(0, length);
    std::optional<std::string> name;
    if (run.starts_with("_Z")) name = Name(run.substr(2)).read();
    out += name ? *name : run;
    text.remove_prefix(length);
    const std::size_t next = static_cast<std::size_t>(
        std::find_if(text.begin(), text.end(), is_symbol_character) - text.begin());
    out += text.substr(0, next);
    text.remove_prefix(next);
  }
  return out;
}

}  // namespace wheelcheck
