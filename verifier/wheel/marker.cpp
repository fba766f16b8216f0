#include <algorithm>
#include <array>
#include <utility>

#include "verifier/wheel/requirement.h"
#include "verifier/wheel/requirement_parser.h"
#include "verifier/wheel/text.h"

namespace wheelcheck {

namespace {

using Field = std::string MarkerEnvironment::*;
constexpr std::array<std::pair<std::string_view, Field>, 12> kFields{{
    {"os_name", &MarkerEnvironment::os_name},
    {"sys_platform", &MarkerEnvironment::sys_platform},
    {"platform_system", &MarkerEnvironment::platform_system},
    {"platform_machine", &MarkerEnvironment::platform_machine},
    {"platform_python_implementation", &MarkerEnvironment::platform_python_implementation},
    {"platform_release", &MarkerEnvironment::platform_release},
    {"platform_version", &MarkerEnvironment::platform_version},
    {"implementation_name", &MarkerEnvironment::implementation_name},
    {"implementation_version", &MarkerEnvironment::implementation_version},
    {"python_version", &MarkerEnvironment::python_version},
    {"python_full_version", &MarkerEnvironment::python_full_version},
    {"extra", &MarkerEnvironment::extra},
}};

/// These compare as versions where the other side makes a specifier.
constexpr std::array<std::string_view, 4> kVersionFields{
    "implementation_version", "platform_release", "python_full_version", "python_version"};

template <class Range, class T>
bool holds(const Range& range, const T& value) {
  return std::find(range.begin(), range.end(), value) != range.end();
}

Result<std::string> lookup(const MarkerEnvironment& environment, std::string_view name) {
  for (const auto& [key, field] : kFields) {
    if (key != name) continue;
    std::string value = environment.*field;
    if (key == "extra") return normalise_name(value);
    // What an untagged interpreter build calls itself.
    if (key == "python_full_version" && !value.empty() && value.back() == '+') value += "local";
    return value;
  }
  return Error{"marker", "the environment has no " + text::quoted(name), std::nullopt};
}

Result<bool> compare(const std::string& left, const std::string& op, const std::string& right,
                     std::string_view key) {
  if (holds(kVersionFields, key)) {
    if (const auto specifier = Specifier::parse(op + right)) return specifier->contains_text(left);
  }
  if (op == "in") return right.find(left) != std::string::npos;
  if (op == "not in") return right.find(left) == std::string::npos;
  if (op == "==" || op == "<=" || op == ">=") return left == right;
  if (op == "!=") return left != right;
  if (op == "<" || op == ">") return false;
  return Error{"marker",
               op + " has no meaning between " + text::quoted(left) + " and " + text::quoted(right),
               std::nullopt};
}

Result<bool> evaluate_comparison(const MarkerComparison& item,
                                 const MarkerEnvironment& environment) {
  // The name is looked up on the left if a variable stands there, else on the right; the other
  // side counts as text even if it is a variable. So does `packaging`.
  const std::string& key = item.left.variable ? item.left.text : item.right.text;
  auto value = lookup(environment, key);
  if (!value) return std::move(value).error();
  return item.left.variable ? compare(*value, item.op, item.right.text, key)
                            : compare(item.left.text, item.op, *value, key);
}

Result<bool> evaluate_node(const Marker::Node& node, const MarkerEnvironment& environment) {
  bool any = false;
  bool all = true;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (i != 0 && node.or_before[i - 1]) {
      any = any || all;
      all = true;
    }
    const auto* group = std::get_if<std::unique_ptr<Marker::Node>>(&node.items[i]);
    // Every part is evaluated, so that one without a value is never hidden by its neighbours.
    auto value = group != nullptr
                     ? evaluate_node(**group, environment)
                     : evaluate_comparison(std::get<MarkerComparison>(node.items[i]), environment);
    if (!value) return value;
    all = all && *value;
  }
  return any || all;
}

std::string print_operand(const MarkerOperand& operand) {
  if (operand.variable) return operand.text;
  const char quote = operand.text.find('"') == std::string::npos ? '"' : '\'';
  return quote + operand.text + quote;
}

std::string print_node(const Marker::Node& node, bool first) {
  const auto* only =
      node.items.size() == 1 ? std::get_if<std::unique_ptr<Marker::Node>>(&node.items[0]) : nullptr;
  if (only != nullptr) return print_node(**only, first);  // "((...))"
  std::string out;
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (i != 0) out += node.or_before[i - 1] ? " or " : " and ";
    if (const auto* item = std::get_if<MarkerComparison>(&node.items[i])) {
      out += print_operand(item->left) + " " + item->op + " " + print_operand(item->right);
    } else {
      out += print_node(*std::get<std::unique_ptr<Marker::Node>>(node.items[i]), false);
    }
  }
  return first || node.items.size() == 1 ? out : "(" + out + ")";
}

bool names_extra(const Marker::Node& node) {
  return std::any_of(node.items.begin(), node.items.end(), [](const Marker::Node::Item& item) {
    if (const auto* group = std::get_if<std::unique_ptr<Marker::Node>>(&item))
      return names_extra(**group);
    const auto& comparison = std::get<MarkerComparison>(item);
    const auto is_extra = [](const MarkerOperand& o) { return o.variable && o.text == "extra"; };
    return is_extra(comparison.left) || is_extra(comparison.right);
  });
}

}  // namespace

Result<Marker> Marker::parse(std::string_view text) { return RequirementParser(text).marker(); }

Result<bool> Marker::try_evaluate(const MarkerEnvironment& environment) const {
  return root_ ? evaluate_node(*root_, environment) : Result<bool>(true);
}

bool Marker::evaluate(const MarkerEnvironment& environment) const {
  const auto value = try_evaluate(environment);
  return value && *value;
}

std::string Marker::str() const { return root_ ? print_node(*root_, true) : std::string(); }

bool Marker::uses_extra() const { return root_ && names_extra(*root_); }

}  // namespace wheelcheck
