#include "verifier/cli/catalogue_text.h"

#include <array>
#include <string_view>

#include "verifier/report/report.h"

namespace wheelcheck::cli {
namespace {

constexpr std::size_t kWidth = 80;

struct Family {
  char digit;
  const char* title;
};
constexpr std::array kFamilies = {
    Family{'0', "The archive"},
    Family{'1', "Needed libraries"},
    Family{'2', "Search paths"},
    Family{'3', "Symbols and their owners"},
    Family{'4', "Metadata and tags"},
    Family{'5', "CUDA"},
    Family{'6', "Hardening and loader traps"},
    Family{'9', "The check itself"},
};

std::string wrapped(std::string_view text, std::size_t indent) {
  std::string out;
  std::size_t column = kWidth;  // starts a line at once
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (word.empty()) continue;
    if (column + 1 + word.size() > kWidth) {
      if (!out.empty()) out += '\n';
      out.append(indent, ' ');
      column = indent;
    } else {
      out += ' ';
      ++column;
    }
    out += word;
    column += word.size();
  }
  return out + '\n';
}

std::string padded(std::string_view text, std::size_t width) {
  std::string out(text);
  if (out.size() < width) out.append(width - out.size(), ' ');
  return out;
}

}  // namespace

std::string catalogue_line(const CatalogueRow& row) {
  return padded(row.id, 7) + padded(level_name(row.level), 9) + padded(row.slug, 31) + " " +
         row.title + "\n";
}

std::string explanation(const CatalogueRow& row) {
  std::string text = std::string(row.id) + " " + row.slug + " (" +
                     std::string(level_name(row.level)) + ")\n" + wrapped(row.title, 0);
  text += "\nWhy it matters\n" + wrapped(row.why, 2);
  if (*row.fix != '\0') text += "\nHow to fix it\n" + wrapped(row.fix, 2);
  return text;
}

std::string catalogue_page(const std::vector<const CatalogueRow*>& rows) {
  std::string page =
      "# Rules\n\n"
      "<!-- Made by `wheelcheck explain --markdown > docs/rules.md`. Change the catalogue in "
      "rules/, not this page. -->\n\n"
      "What `wheelcheck` judges. The level is the usual one; a finding may be milder where the\n"
      "circumstances make it so, never harsher. `wheelcheck explain ID` prints the same text.\n";
  char family = '\0';
  for (const CatalogueRow* row : rows) {
    const std::string_view id = row->id;
    const char digit = id.size() > 2 ? id[2] : '\0';
    if (digit != family) {
      family = digit;
      const char* title = "Others";
      for (const Family& known : kFamilies) {
        if (known.digit == digit) title = known.title;
      }
      page += "\n## WC" + std::string(1, digit) + "xx: " + title + "\n";
    }
    page += "\n### " + std::string(id) + " " + row->slug + "\n\n";
    page += "*" + std::string(level_name(row->level)) + "*: " + row->title + ".\n\n";
    page += std::string(row->why) + "\n";
    if (*row->fix != '\0') page += "\n**Fix:** " + std::string(row->fix) + "\n";
  }
  return page;
}

}  // namespace wheelcheck::cli
