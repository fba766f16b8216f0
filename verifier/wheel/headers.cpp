#include "verifier/wheel/headers.h"

#include <algorithm>

#include "verifier/wheel/text.h"

namespace wheelcheck {

void add_problem(std::vector<TextProblem>& problems, std::uint32_t line, std::string what) {
  if (problems.size() > kMaxTextProblems) return;
  if (problems.size() == kMaxTextProblems) {
    problems.push_back({line, "more problems follow that are not listed"});
    return;
  }
  problems.push_back({line, std::move(what)});
}

bool Header::is(std::string_view other) const { return text::equal_ignoring_case(name, other); }

namespace {

bool is_name_char(char c) { return c > ' ' && c <= '~' && c != ':'; }

/// Where the name at the start of a line ends: its colon, or nothing.
std::size_t name_end(std::string_view line) {
  std::size_t end = 0;
  while (end < line.size() && is_name_char(line[end])) ++end;
  return end < line.size() && line[end] == ':' ? end : std::string_view::npos;
}

/// How many lines of `text` look like headers of a wheel's metadata. Only used to say what is lost.
std::size_t count_lost_headers(std::string_view text) {
  std::size_t count = 0;
  for (text::LineReader reader(text); reader.next();) {
    const std::size_t end = name_end(reader.line());
    if (end == std::string_view::npos) continue;
    const std::string_view name = reader.line().substr(0, end);
    for (const std::string_view known : {"Requires-Dist", "Name", "Version", "Tag",
                                         "Requires-Python", "Provides-Extra", "Root-Is-Purelib"}) {
      if (text::equal_ignoring_case(name, known)) ++count;
    }
  }
  return count;
}

void append_value(Header& header, std::string_view part) {
  part = text::strip(part);
  if (part.empty()) return;
  if (header.value.size() + part.size() > kMaxFieldLength)
    part = part.substr(0, kMaxFieldLength - std::min(kMaxFieldLength, header.value.size()));
  if (!header.value.empty() && !part.empty()) header.value += ' ';
  header.value += part;
}

void check_encoding(std::string_view text, std::vector<TextProblem>& problems) {
  if (!text::is_utf8(text)) {
    for (text::LineReader reader(text); reader.next();) {
      if (text::is_utf8(reader.line())) continue;
      add_problem(problems, reader.number(), "not UTF-8: " + text::quoted(reader.line()));
      break;
    }
  }
  const std::size_t zero = text.find('\0');
  if (zero == std::string_view::npos) return;
  text::LineReader reader(text);
  while (reader.next() && reader.end() <= zero) {
  }
  add_problem(problems, reader.number(), "a zero byte");
}

}  // namespace

HeaderBlock parse_headers(std::string_view text, std::vector<TextProblem>& problems) {
  HeaderBlock block;
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  check_encoding(text, problems);
  if (text.substr(0, kMark.size()) == kMark) {
    add_problem(problems, 1, "starts with a byte-order mark, which belongs to no header");
    text.remove_prefix(kMark.size());
  }
  // The last header's text may run over several lines; its length check waits until it ends.
  std::size_t raw_start = 0;
  const auto finish = [&](std::size_t end) {
    if (block.headers.empty()) return;
    Header& last = block.headers.back();
    last.raw = text.substr(raw_start, end - raw_start);
    if (last.raw.size() > kMaxFieldLength)
      add_problem(problems, last.line,
                  text::quoted(last.name) + " is longer than " + std::to_string(kMaxFieldLength) +
                      " bytes; the rest of it is not read");
  };
  text::LineReader reader(text);
  while (reader.next()) {
    const std::string_view line = reader.line();
    if (line.empty()) {
      finish(reader.start());
      block.body = text.substr(reader.end());
      if (!block.body.empty()) block.body_line = reader.number() + 1;
      return block;
    }
    if (line.front() == ' ' || line.front() == '\t') {
      if (block.headers.empty()) {
        add_problem(problems, reader.number(),
                    "continues a header, but none stands before it: " + text::quoted(line));
        continue;
      }
      append_value(block.headers.back(), line);
      ++block.headers.back().lines;
      continue;
    }
    const bool envelope = line.substr(0, 5) == "From ";  // of a mailbox
    const std::size_t colon = envelope ? 0 : name_end(line);
    if (colon == std::string_view::npos || block.headers.size() == kMaxTextItems) {
      finish(reader.start());
      block.body = text.substr(reader.start());
      block.body_line = reader.number();
      const std::size_t lost = count_lost_headers(block.body);
      add_problem(problems, reader.number(),
                  (colon == std::string_view::npos ? "not a header: " + text::quoted(line)
                                                   : std::string("too many headers")) +
                      "; nothing from here on is read as one" +
                      (lost == 0 ? "" : ", which loses " + std::to_string(lost) + " of them"));
      return block;
    }
    finish(reader.start());
    if (colon == 0) {
      add_problem(problems, reader.number(), "a header without a name: " + text::quoted(line));
    }
    raw_start = reader.start() + (envelope ? 0 : colon + 1);
    Header header;
    header.name = line.substr(0, colon);
    header.line = reader.number();
    append_value(header, text.substr(raw_start, line.size() - (envelope ? 0 : colon + 1)));
    block.headers.push_back(std::move(header));
  }
  finish(text.size());
  return block;
}

const Header* single_header(const HeaderBlock& block, std::string_view name,
                            std::vector<TextProblem>& problems) {
  const Header* first = nullptr;
  for (const Header& header : block.headers) {
    if (!header.is(name)) continue;
    if (first == nullptr) {
      first = &header;
    } else {
      add_problem(problems, header.line,
                  std::string(name) + " stands here again: " + text::quoted(header.value) +
                      "; the first, on line " + std::to_string(first->line) + ", counts");
    }
  }
  return first;
}

}  // namespace wheelcheck
