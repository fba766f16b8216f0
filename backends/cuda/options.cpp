#include "backends/cuda/options.h"

#include <array>
#include <cstring>
#include <variant>

#include "backends/cuda/error.h"

namespace executorch::backends::cuda {
namespace {

using Methods = std::set<std::string, std::less<>>;
using Text = std::array<char, runtime::kMaxOptionValueLength>;

Methods split(std::string_view list) {
  Methods methods;
  while (true) {
    const std::size_t comma = list.find(',');
    std::string_view name = list.substr(0, comma);
    while (!name.empty() && name.front() == ' ') name.remove_prefix(1);
    while (!name.empty() && name.back() == ' ') name.remove_suffix(1);
    if (!name.empty()) methods.emplace(name);
    if (comma == std::string_view::npos) return methods;
    list.remove_prefix(comma + 1);
  }
}

// Every option: its key, and what it sets. Exactly one of the two members is set.
struct Known {
  const char* key;
  bool Options::*flag;
  Methods Options::*methods;
};
constexpr Known kKnown[] = {
    {"use_shared_cuda_stream", &Options::use_shared_stream, nullptr},
    {"weight_sharing_across_methods", &Options::share_state, nullptr},
    {"enable_cuda_graph_for_method", nullptr, &Options::graph_methods},
    {"skip_copy_output_to_cpu_for_method", nullptr, &Options::skip_copy_methods},
};

const Known* find(const runtime::BackendOption& option) {
  for (const Known& known : kKnown) {
    if (std::strncmp(option.key, known.key, sizeof option.key) == 0) return &known;
  }
  return nullptr;
}

}  // namespace

Error Options::apply(runtime::Span<const runtime::BackendOption> options) {
  Options changed = *this;
  for (const runtime::BackendOption& option : options) {
    const Known* const known = find(option);
    if (known == nullptr) continue;
    const bool* const flag = std::get_if<bool>(&option.value);
    const Text* const text = std::get_if<Text>(&option.value);
    if (known->flag != nullptr ? flag == nullptr : text == nullptr) {
      REFUSE(InvalidArgument, "the option '%s' takes %s", known->key,
             known->flag != nullptr ? "true or false" : "a list of methods, with commas");
    }
    if (known->flag != nullptr) {
      changed.*known->flag = *flag;
    } else {
      changed.*known->methods =
          split(std::string_view(text->data(), strnlen(text->data(), text->size())));
    }
  }
  *this = std::move(changed);
  return Error::Ok;
}

Error Options::read(runtime::Span<runtime::BackendOption> options) const {
  for (runtime::BackendOption& option : options) {
    const Known* const known = find(option);
    if (known == nullptr) continue;
    if (known->flag != nullptr) {
      option.value = this->*known->flag;
      continue;
    }
    std::string list;
    for (const std::string& method : this->*known->methods) {
      list += (list.empty() ? "" : ",") + method;
    }
    Text text{};
    if (list.size() >= text.size()) {
      REFUSE(InvalidArgument, "the value of '%s' has %zu bytes, too many to be read", known->key,
             list.size());
    }
    std::memcpy(text.data(), list.data(), list.size());
    option.value = text;
  }
  return Error::Ok;
}

ProcessOptions& ProcessOptions::instance() {
  static ProcessOptions options;
  return options;
}

Error ProcessOptions::apply(runtime::Span<const runtime::BackendOption> options) {
  const std::lock_guard lock(mutex_);
  return options_.apply(options);
}

Error ProcessOptions::read(runtime::Span<runtime::BackendOption> options) {
  const std::lock_guard lock(mutex_);
  return options_.read(options);
}

Options ProcessOptions::get() {
  const std::lock_guard lock(mutex_);
  return options_;
}

}  // namespace executorch::backends::cuda
