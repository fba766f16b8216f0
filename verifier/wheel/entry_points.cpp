#include <algorithm>
#include <unordered_set>

#include "verifier/wheel/headers.h"
#include "verifier/wheel/metadata.h"
#include "verifier/wheel/text.h"

namespace wheelcheck {

namespace {

/// A dotted name; letters beyond ASCII are taken as they come.
bool is_dotted_name(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
    return text::is_alnum(c) || c == '_' || c == '.' || static_cast<unsigned char>(c) >= 0x80;
  });
}

/// "module:attribute [extras]"
bool read_reference(std::string_view value, EntryPoint& out) {
  const std::size_t bracket = value.find('[');
  if (bracket != std::string_view::npos) {
    if (value.back() != ']') return false;
    const std::string_view inside = value.substr(bracket + 1, value.size() - bracket - 2);
    for (const std::string_view extra : text::split(inside, ',')) {
      const std::string_view name = text::strip(extra);
      if (!name.empty()) out.extras.emplace_back(name);
    }
    value = text::strip(value.substr(0, bracket));
  }
  const std::size_t colon = value.find(':');
  out.module = text::strip(value.substr(0, colon));
  if (!is_dotted_name(out.module)) return false;
  if (colon == std::string_view::npos) return true;
  out.attribute = text::strip(value.substr(colon + 1));
  return is_dotted_name(out.attribute);
}

}  // namespace

EntryPoints parse_entry_points(std::string_view text) {
  EntryPoints out;
  std::string group;
  std::unordered_set<std::string> seen;
  for (text::LineReader reader(text); reader.next();) {
    const std::string_view line = text::strip(reader.line());
    const auto problem = [&](const std::string& what) {
      add_problem(out.problems, reader.number(), text::quoted(line) + ": " + what);
    };
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.size() > kMaxFieldLength || out.points.size() == kMaxTextItems) {
      problem("too long, or too many; not read");
      continue;
    }
    if (!text::is_utf8(line)) problem("not UTF-8");
    if (line.front() == '[') {
      if (line.back() != ']') {
        problem("the name of a group is not closed");
        continue;
      }
      group = text::strip(line.substr(1, line.size() - 2));
      if (group.empty()) problem("a group without a name");
      continue;
    }
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) {
      problem("not of the form name = module:attribute");
      continue;
    }
    EntryPoint point;
    point.group = group;
    point.line = reader.number();
    point.name = text::strip(line.substr(0, equals));
    const bool readable = read_reference(text::strip(line.substr(equals + 1)), point);
    if (group.empty()) problem("stands in no group");
    if (point.name.empty()) problem("has no name");
    if (!readable) problem("what follows '=' is not module:attribute");
    if (!seen.insert(point.group + '\n' + point.name).second)
      problem("the group has an entry of this name already");
    out.points.push_back(std::move(point));
  }
  return out;
}

std::vector<std::string> parse_top_level(std::string_view text) {
  std::vector<std::string> out;
  for (text::LineReader reader(text); reader.next() && out.size() < kMaxTextItems;) {
    const std::string_view line = text::strip(reader.line());
    if (!line.empty()) out.emplace_back(line.substr(0, kMaxFieldLength));
  }
  return out;
}

}  // namespace wheelcheck
