#include "verifier/wheel/requirement_parser.h"

#include <algorithm>
#include <array>

#include "verifier/wheel/python_string.h"
#include "verifier/wheel/text.h"

namespace wheelcheck {

namespace {

constexpr int kMaxNesting = 200;

bool is_word(char c) { return text::is_alnum(c) || c == '_'; }
/// Part of a word to Python's "\b". Letters beyond ASCII are, and nothing that they may touch is
/// allowed beside them anyway.
bool is_word_or_beyond(char c) { return is_word(c) || static_cast<unsigned char>(c) >= 0x80; }

struct VariableName {
  std::string_view written;
  std::string_view name;
};
constexpr std::array<VariableName, 20> kVariables{{
    {"python_version", "python_version"},
    {"python_full_version", "python_full_version"},
    {"os_name", "os_name"},
    {"os.name", "os_name"},
    {"sys_platform", "sys_platform"},
    {"sys.platform", "sys_platform"},
    {"platform_release", "platform_release"},
    {"platform_system", "platform_system"},
    {"platform_version", "platform_version"},
    {"platform.version", "platform_version"},
    {"platform_machine", "platform_machine"},
    {"platform.machine", "platform_machine"},
    {"platform_python_implementation", "platform_python_implementation"},
    {"platform.python_implementation", "platform_python_implementation"},
    {"python_implementation", "platform_python_implementation"},
    {"implementation_name", "implementation_name"},
    {"implementation_version", "implementation_version"},
    {"extra", "extra"},
    {"extras", "extras"},
    {"dependency_groups", "dependency_groups"},
}};

constexpr std::array<std::string_view, 8> kComparisons{
    "===", "==", "~=", "!=", "<=", ">=", "<", ">"};

}  // namespace

bool RequirementParser::fail(std::string what) {
  what_ = std::move(what);
  return false;
}

Error RequirementParser::error() const {
  return Error{"requirement",
               text::quoted(source_, 200) + ": " + what_ + " at column " + std::to_string(at_ + 1),
               std::nullopt};
}

void RequirementParser::spaces() {
  while (peek() == ' ' || peek() == '\t') ++at_;
}

bool RequirementParser::take(char c) {
  if (at_end() || source_[at_] != c) return false;
  ++at_;
  return true;
}

std::string_view RequirementParser::word() const {
  std::size_t end = at_;
  while (end < source_.size() && (is_word(source_[end]) || source_[end] == '.')) ++end;
  return source_.substr(at_, end - at_);
}

bool RequirementParser::identifier(std::string& out, std::string_view what) {
  std::size_t end = at_;
  if (end < source_.size() && text::is_alnum(source_[end])) {
    while (end < source_.size() &&
           (is_word(source_[end]) || source_[end] == '.' || source_[end] == '-'))
      ++end;
  }
  const bool touches = end < source_.size() && is_word_or_beyond(source_[end]);
  if (end == at_ || touches || !is_word(source_[end - 1]))
    return fail("expected " + std::string(what));
  out = source_.substr(at_, end - at_);
  at_ = end;
  return true;
}

bool RequirementParser::extras(std::vector<std::string>& out) {
  if (!take('[')) return true;
  spaces();
  std::string name;
  if (peek() != ']') {
    do {
      spaces();
      if (!identifier(name, "the name of an extra")) return false;
      name = normalise_name(name);
      if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
      if (out.size() > 1000) return fail("more than 1000 extras");
      spaces();
    } while (take(','));
  }
  if (!take(']')) return fail("expected ',' or ']' after extras");
  spaces();
  return true;
}

bool RequirementParser::url(std::string& out) {
  spaces();
  const std::size_t start = at_;
  while (!at_end() && text::space_at(source_, at_) == 0) ++at_;
  if (at_ == start) return fail("expected a URL after '@'");
  out = source_.substr(start, at_ - start);
  if (at_end()) return true;
  if (peek() != ' ' && peek() != '\t') return fail("expected a space after the URL");
  spaces();
  return true;
}

/// All clauses up to the next ';' or ')' or the end, when they are a list of good ones.
bool RequirementParser::try_clause_list(SpecifierSet& out) {
  std::size_t end = at_;
  const auto belongs = [](char c) {
    return c == '\t' || (c >= ' ' && c <= '~' && c != ';' && c != ')');
  };
  while (end < source_.size() && belongs(source_[end])) ++end;
  if (end == at_) return false;
  if (end < source_.size() && source_[end] != ';' && source_[end] != ')') return false;
  const std::string_view list = source_.substr(at_, end - at_);
  auto set = SpecifierSet::parse(list);
  if (!set) return false;
  // A set skips empty items; a requirement allows only a comma at the end.
  const auto commas = static_cast<std::size_t>(std::count(list.begin(), list.end(), ','));
  const std::size_t count = set->clauses().size();
  const bool trailing = count != 0 && count == commas && text::strip(list).back() == ',';
  if (count != commas + 1 && !trailing) return false;
  out = *std::move(set);
  at_ = end;
  return true;
}

bool RequirementParser::clauses(SpecifierSet& out) {
  if (at_end() || try_clause_list(out)) return true;
  const std::size_t start = at_;
  std::string list;
  while (const auto length = Specifier::length_at(source_, at_)) {
    list += source_.substr(at_, *length);
    at_ += *length;
    spaces();
    if (!take(',')) break;
    list += ',';
    spaces();
  }
  auto set = SpecifierSet::parse(list);
  if (!set) {  // "===a,b" is one clause to the eye of the line above
    at_ = start;
    return fail(set.error().what);
  }
  out = *std::move(set);
  return true;
}

bool RequirementParser::specifiers(SpecifierSet& out) {
  if (!take('(')) return clauses(out);
  spaces();
  if (!clauses(out)) return false;
  spaces();
  if (!take(')')) return fail("expected a version clause, ',' or ')'");
  spaces();
  return true;
}

Result<Requirement> RequirementParser::requirement() {
  Requirement out;
  out.text = source_;
  Marker::Node root;
  const auto parse = [&] {
    spaces();
    if (!identifier(out.name, "the name of a distribution")) return false;
    out.normalised = normalise_name(out.name);
    spaces();
    if (!extras(out.extras)) return false;
    if (take('@') ? !url(out.url) : !specifiers(out.specifiers)) return false;
    if (at_end()) return true;
    if (!take(';')) return fail("expected a version clause, ';' or the end");
    if (!marker_group(root, 0)) return false;
    return at_end() || fail("expected 'and', 'or' or the end");
  };
  if (!parse()) return error();
  if (!root.items.empty()) {
    out.marker.emplace();
    out.marker->root_ = std::make_shared<const Marker::Node>(std::move(root));
  }
  return out;
}

Result<Marker> RequirementParser::marker() {
  Marker::Node root;
  if (!marker_group(root, 0)) return error();
  if (!at_end()) {
    (void)fail("expected 'and', 'or' or the end");
    return error();
  }
  Marker out;
  out.root_ = std::make_shared<const Marker::Node>(std::move(root));
  return out;
}

bool RequirementParser::marker_group(Marker::Node& out, int depth) {
  for (;;) {
    if (!marker_atom(out, depth)) return false;
    const std::string_view next = word();
    if (next != "and" && next != "or") return true;
    if (at_ + next.size() < source_.size() && is_word_or_beyond(source_[at_ + next.size()]))
      return true;
    out.or_before.push_back(next == "or");
    at_ += next.size();
  }
}

bool RequirementParser::marker_atom(Marker::Node& out, int depth) {
  spaces();
  if (take('(')) {
    if (depth >= kMaxNesting)
      return fail("parentheses nest more than " + std::to_string(kMaxNesting) + " deep");
    auto group = std::make_unique<Marker::Node>();
    if (!marker_group(*group, depth + 1)) return false;
    if (!take(')')) return fail("expected 'and', 'or' or ')'");
    out.items.emplace_back(std::move(group));
  } else {
    MarkerComparison item;
    if (!operand(item.left)) return false;
    spaces();
    if (!comparison_op(item.op)) return false;
    spaces();
    if (!operand(item.right)) return false;
    // Names of extras and groups compare normalised.
    const auto names = [](const MarkerOperand& v) { return v.variable && v.text == "extra"; };
    const auto sets = [](const MarkerOperand& v) {
      return v.variable && (v.text == "extras" || v.text == "dependency_groups");
    };
    if (names(item.left) && !item.right.variable) {
      item.right.text = normalise_name(item.right.text);
    } else if (!item.left.variable && (names(item.right) || sets(item.right))) {
      item.left.text = normalise_name(item.left.text);
    }
    out.items.emplace_back(std::move(item));
  }
  spaces();
  return true;
}

bool RequirementParser::operand(MarkerOperand& out) {
  const std::string_view name = word();
  const auto* found = std::find_if(kVariables.begin(), kVariables.end(),
                                   [&](const VariableName& v) { return v.written == name; });
  const bool touches =
      at_ + name.size() < source_.size() && is_word_or_beyond(source_[at_ + name.size()]);
  if (found != kVariables.end() && !touches) {
    out.variable = true;
    out.text = found->name;
    at_ += name.size();
    return true;
  }
  if (peek() == '"' || peek() == '\'') return quoted_value(out);
  return fail("expected the name of a marker variable or a quoted value");
}

bool RequirementParser::quoted_value(MarkerOperand& out) {
  const std::size_t end = source_.find(source_[at_], at_ + 1);
  if (end == std::string_view::npos) return fail("the quote is not closed");
  auto value = python_string(source_.substr(at_ + 1, end - at_ - 1));
  if (!value) return fail(value.error().what);
  out.variable = false;
  out.text = *std::move(value);
  at_ = end + 1;
  return true;
}

bool RequirementParser::comparison_op(std::string& out) {
  // A word that ends here, and not one that merely starts so.
  const auto take_word = [&](std::string_view w) {
    const std::size_t end = at_ + w.size();
    if (source_.substr(at_, w.size()) != w) return false;
    if (end < source_.size() && is_word_or_beyond(source_[end])) return false;
    at_ = end;
    return true;
  };
  if (take_word("in")) {
    out = "in";
    return true;
  }
  if (take_word("not")) {
    const std::size_t start = at_;
    spaces();
    if (at_ == start || !take_word("in")) return fail("expected 'in' after 'not'");
    out = "not in";
    return true;
  }
  for (const std::string_view op : kComparisons) {
    if (source_.substr(at_, op.size()) != op) continue;
    out = op;
    at_ += op.size();
    return true;
  }
  return fail("expected a comparison");
}

}  // namespace wheelcheck
