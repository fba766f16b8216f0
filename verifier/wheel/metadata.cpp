#include "verifier/wheel/metadata.h"

#include <algorithm>
#include <array>

#include "verifier/wheel/headers.h"
#include "verifier/wheel/text.h"

namespace wheelcheck {

namespace {

/// Fields that must not repeat. Those with a member of Metadata are read one by one.
constexpr std::array<std::string_view, 12> kOtherSingleFields{"Summary",
                                                              "Description-Content-Type",
                                                              "Keywords",
                                                              "Home-page",
                                                              "Download-URL",
                                                              "Author",
                                                              "Author-email",
                                                              "Maintainer",
                                                              "Maintainer-email",
                                                              "License",
                                                              "License-Expression",
                                                              "Description"};

/// The Description header: its lines were indented by eight spaces, or seven and a bar.
std::string dedent_description(std::string_view raw) {
  std::string out;
  for (text::LineReader reader(raw); reader.next();) {
    std::string_view line = reader.line();
    if (reader.number() == 1) {
      out += text::strip(line);
      continue;
    }
    if (line.substr(0, 8) == "       |" || line.substr(0, 8) == "        ") line.remove_prefix(8);
    out += '\n';
    out += line;
  }
  return out;
}

void read_requirement(const Header& header, Metadata& out) {
  auto requirement = Requirement::parse(header.value);
  if (!requirement) {
    add_problem(out.problems, header.line, "Requires-Dist " + requirement.error().what);
    return;
  }
  // The lines are joined here, as mail has it. pip 24 keeps the line end and then refuses it.
  if (header.lines > 1)
    add_problem(out.problems, header.line,
                "Requires-Dist runs over " + std::to_string(header.lines) +
                    " lines, which newer releases of pip refuse: " + text::quoted(header.value));
  requirement->line = header.line;
  out.requires_dist.push_back(*std::move(requirement));
}

}  // namespace

Metadata parse_metadata(std::string_view text) {
  Metadata out;
  const HeaderBlock block = parse_headers(text, out.problems);
  for (const Header& header : block.headers) {
    out.headers.emplace_back(header.name, header.value);
    if (header.is("Requires-Dist")) {
      read_requirement(header, out);
    } else if (header.is("Provides-Extra")) {
      if (!is_valid_name(header.value))
        add_problem(out.problems, header.line,
                    "Provides-Extra " + text::quoted(header.value) + " is not a valid name");
      out.provides_extra.push_back(normalise_name(header.value));
    }
  }
  const auto single = [&](std::string_view name, bool needed) -> const Header* {
    const Header* header = single_header(block, name, out.problems);
    if (needed && (header == nullptr || header->value.empty()))
      add_problem(out.problems, header == nullptr ? 0 : header->line,
                  std::string(name) + (header == nullptr ? " is missing" : " is empty"));
    return header;
  };
  if (const Header* header = single("Metadata-Version", true)) out.metadata_version = header->value;
  if (const Header* header = single("Name", true)) {
    out.name = header->value;
    if (!out.name.empty() && !is_valid_name(out.name))
      add_problem(out.problems, header->line,
                  "Name " + text::quoted(out.name) + " is not a valid name");
  }
  if (const Header* header = single("Version", true)) {
    out.version_text = header->value;
    auto version = Version::parse(out.version_text);
    if (version) {
      out.version = *std::move(version);
    } else if (!out.version_text.empty()) {
      add_problem(out.problems, header->line, "Version " + version.error().what);
    }
  }
  if (const Header* header = single("Requires-Python", false)) {
    out.requires_python = header->value;
    auto set = SpecifierSet::parse(out.requires_python);
    if (set) {
      out.requires_python_set = *std::move(set);
    } else {
      add_problem(out.problems, header->line, "Requires-Python " + set.error().what);
    }
  }
  for (const std::string_view name : kOtherSingleFields) {
    const Header* header = single(name, false);
    if (header != nullptr && name == "Description")
      out.description = dedent_description(header->raw);
  }
  if (!text::strip(block.body).empty()) out.description = block.body;
  return out;
}

WheelFile parse_wheel_file(std::string_view text) {
  WheelFile out;
  const HeaderBlock block = parse_headers(text, out.problems);
  const auto single = [&](std::string_view name, bool needed) -> const Header* {
    const Header* header = single_header(block, name, out.problems);
    if (needed && header == nullptr)
      add_problem(out.problems, 0, std::string(name) + " is missing");
    return header;
  };
  if (const Header* header = single("Wheel-Version", true)) out.wheel_version = header->value;
  if (const Header* header = single("Generator", false)) out.generator = header->value;
  if (const Header* header = single("Build", false)) out.build = header->value;
  if (const Header* header = single("Root-Is-Purelib", true)) {
    if (text::equal_ignoring_case(header->value, "true")) {
      out.root_is_purelib = true;
    } else if (text::equal_ignoring_case(header->value, "false")) {
      out.root_is_purelib = false;
    } else {
      add_problem(out.problems, header->line,
                  "Root-Is-Purelib is neither true nor false: " + text::quoted(header->value));
    }
  }
  for (const Header& header : block.headers) {
    if (!header.is("Tag")) continue;
    out.tag_lines.push_back(header.value);
    auto tags = parse_tag(header.value);
    if (!tags) {
      add_problem(out.problems, header.line, "Tag " + tags.error().what);
    } else if (out.tags.size() + tags->size() > kMaxTextItems) {
      add_problem(out.problems, header.line, "too many tags; those from here on are not read");
      break;
    } else {
      out.tags.insert(out.tags.end(), std::make_move_iterator(tags->begin()),
                      std::make_move_iterator(tags->end()));
    }
  }
  if (out.tag_lines.empty()) add_problem(out.problems, 0, "Tag is missing");
  if (!text::strip(block.body).empty())
    add_problem(out.problems, block.body_line, "text behind a blank line is not read");
  return out;
}

}  // namespace wheelcheck
