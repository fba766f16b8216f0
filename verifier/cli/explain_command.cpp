#include <string>
#include <string_view>
#include <vector>

#include "CLI/CLI.hpp"

#include "rules/rule.h"
#include "verifier/check/selection.h"
#include "verifier/cli/catalogue_text.h"
#include "verifier/cli/commands.h"
#include "verifier/cli/console.h"
#include "verifier/cli/options.h"

namespace wheelcheck::cli {

int explain_command(const std::vector<std::string>& arguments) {
  std::vector<std::string> words;
  bool markdown = false;
  CLI::App app("Says what a rule judges, why it matters and how to fix what it finds.",
               "wheelcheck explain");
  app.add_option("RULE", words, "ids, slugs or families such as WC1; none: all rules, a line each")
      ->type_name("");
  app.add_flag("--markdown", markdown, "as a page: this is how docs/rules.md is made");
  if (const auto code = parse_options(app, arguments)) return *code;

  std::vector<const CatalogueRow*> all;
  for (const Rule* rule : all_rules()) all.push_back(&rule->row);
  std::vector<const CatalogueRow*> chosen;
  bool in_full = !words.empty();
  for (const std::string& word : words) {
    const auto named = rules_named(word, all);
    if (named.empty()) return usage_error(unknown_rule(word, all));
    if (named.size() > 1) in_full = false;
    chosen.insert(chosen.end(), named.begin(), named.end());
  }
  if (words.empty()) chosen = all;

  if (markdown) return say(catalogue_page(chosen));
  std::string text;
  for (const CatalogueRow* row : chosen) {
    if (in_full && !text.empty()) text += '\n';
    text += in_full ? explanation(*row) : catalogue_line(*row);
  }
  return say(text);
}

}  // namespace wheelcheck::cli
