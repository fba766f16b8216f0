#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "verifier/core/result.h"
#include "verifier/wheel/requirement.h"

namespace wheelcheck {

/// One side of a comparison.
struct MarkerOperand {
  bool variable = false;  ///< else a quoted value
  std::string text;       ///< the variable's name, or the value
};
struct MarkerComparison {
  MarkerOperand left;
  std::string op;
  MarkerOperand right;
};

/// A list of comparisons and groups joined by "and" and "or", as written. "and" binds tighter; that
/// is resolved when the marker is evaluated.
struct Marker::Node {
  using Item = std::variant<MarkerComparison, std::unique_ptr<Node>>;
  std::vector<Item> items;
  std::vector<bool> or_before;  ///< item i+1 is joined to item i by "or" (else "and")
};

/// Recursive descent over one requirement or one marker. Fails at the first error and keeps its
/// place.
class RequirementParser {
 public:
  explicit RequirementParser(std::string_view source) : source_(source) {}

  [[nodiscard]] Result<Requirement> requirement();
  [[nodiscard]] Result<Marker> marker();

 private:
  [[nodiscard]] bool fail(std::string what);  ///< false, always
  [[nodiscard]] Error error() const;
  [[nodiscard]] char peek() const { return at_ < source_.size() ? source_[at_] : '\0'; }
  [[nodiscard]] bool at_end() const { return at_ == source_.size(); }
  void spaces();
  [[nodiscard]] bool take(char c);
  /// The word at this place, if it is one of letters, digits, '_' and '.'.
  [[nodiscard]] std::string_view word() const;

  [[nodiscard]] bool identifier(std::string& out, std::string_view what);
  [[nodiscard]] bool extras(std::vector<std::string>& out);
  [[nodiscard]] bool url(std::string& out);
  [[nodiscard]] bool specifiers(SpecifierSet& out);
  [[nodiscard]] bool clauses(SpecifierSet& out);
  [[nodiscard]] bool try_clause_list(SpecifierSet& out);
  [[nodiscard]] bool marker_group(Marker::Node& out, int depth);
  [[nodiscard]] bool marker_atom(Marker::Node& out, int depth);
  [[nodiscard]] bool operand(MarkerOperand& out);
  [[nodiscard]] bool quoted_value(MarkerOperand& out);
  [[nodiscard]] bool comparison_op(std::string& out);

  std::string_view source_;
  std::size_t at_ = 0;
  std::string what_;
};

}  // namespace wheelcheck
