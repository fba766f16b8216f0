#include "verifier/report/facts_writer.h"

#include <algorithm>

#include "verifier/report/escape.h"
#include "verifier/report/facts_document.h"

namespace wheelcheck {
namespace {

// Of the documents of `show`; its fields may grow with the facts.
constexpr const char* kFactsSchemaVersion = "1.0";
constexpr std::size_t kIndent = 2;
constexpr std::size_t kLineOfList = 78;

std::string scalar_text(const Document& value) {
  if (value.is_string()) return printable(value.get_ref<const std::string&>());
  if (value.is_boolean()) return value.get<bool>() ? "yes" : "no";
  return value.dump();
}

std::string words(const std::string& key) {
  std::string text = printable(key);
  // Keys of ours only: those that are names of files hold dots, and stay as they are.
  if (text.find('.') == std::string::npos) std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

bool all_scalar(const Document& list) {
  return std::all_of(list.begin(), list.end(),
                     [](const Document& value) { return value.is_primitive(); });
}

void render(const Document& object, std::size_t depth, std::string& out);

void render_value(const std::string& key, const Document& value, std::size_t depth,
                  std::string& out) {
  const std::string indent(depth * kIndent, ' ');
  const std::string deeper((depth + 1) * kIndent, ' ');
  if (value.is_object()) {
    out += indent + key + ":\n";
    render(value, depth + 1, out);
  } else if (value.is_array() && all_scalar(value)) {
    std::string joined;
    for (const Document& one : value) joined += (joined.empty() ? "" : ", ") + scalar_text(one);
    if (indent.size() + key.size() + 2 + joined.size() <= kLineOfList) {
      out += indent + key + ": " + joined + "\n";
      return;
    }
    out += indent + key + ":\n";
    for (const Document& one : value) out += deeper + scalar_text(one) + "\n";
  } else if (value.is_array()) {
    out += indent + key + ":\n";
    for (const Document& one : value) {
      // The first field is the name of the thing.
      out += deeper + scalar_text(one.begin().value()) + "\n";
      Document rest = one;
      rest.erase(rest.begin());
      render(rest, depth + 2, out);
    }
  } else {
    out += indent + key + ": " + scalar_text(value) + "\n";
  }
}

void render(const Document& object, std::size_t depth, std::string& out) {
  for (const auto& [key, value] : object.items()) render_value(words(key), value, depth, out);
}

std::string written(const Document& document, const char* kind, const FactsOptions& options) {
  if (!options.json) return document_text(document);
  Document whole{{"schema_version", kFactsSchemaVersion}, {"kind", kind}};
  whole.update(document);
  return whole.dump(2, ' ', true) + "\n";
}

}  // namespace

std::string document_text(const Document& document) {
  std::string out;
  render(document, 0, out);
  return out;
}

std::string facts_of_wheel(const WheelFacts& wheel, const FactsOptions& options) {
  return written(wheel_document(wheel), "wheel", options);
}

std::string facts_of_member(const MemberFacts& member, const FactsOptions& options) {
  return written(member_document(member, options.symbols ? Depth::with_symbols : Depth::deep),
                 "member", options);
}

}  // namespace wheelcheck
