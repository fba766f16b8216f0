#include "verifier/wheel/requirement.h"

#include <algorithm>

#include "verifier/wheel/requirement_parser.h"
#include "verifier/wheel/text.h"

namespace wheelcheck {

std::string normalise_name(std::string_view name) {
  std::string out;
  out.reserve(name.size());
  for (const char c : name) {
    const bool separator = c == '-' || c == '_' || c == '.';
    if (!separator) {
      out += text::to_lower(c);
    } else if (out.empty() || out.back() != '-') {
      out += '-';
    }
  }
  return out;
}

bool is_valid_name(std::string_view name) {
  const auto allowed = [](char c) { return text::is_alnum(c) || c == '.' || c == '_' || c == '-'; };
  return !name.empty() && text::is_alnum(name.front()) && text::is_alnum(name.back()) &&
         std::all_of(name.begin(), name.end(), allowed);
}

Result<Requirement> Requirement::parse(std::string_view text) {
  return RequirementParser(text).requirement();
}

bool Requirement::applies(MarkerEnvironment environment,
                          const std::set<std::string>& wanted) const {
  if (!marker) return true;
  environment.extra.clear();
  if (marker->evaluate(environment)) return true;
  return std::any_of(wanted.begin(), wanted.end(), [&](const std::string& extra) {
    environment.extra = extra;
    return marker->evaluate(environment);
  });
}

}  // namespace wheelcheck
