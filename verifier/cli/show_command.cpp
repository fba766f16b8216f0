#include <array>
#include <fstream>
#include <string>
#include <vector>

#include "CLI/CLI.hpp"

#include "verifier/check/spelling.h"
#include "verifier/cli/commands.h"
#include "verifier/cli/console.h"
#include "verifier/cli/options.h"
#include "verifier/report/escape.h"
#include "verifier/report/facts_writer.h"
#include "verifier/report/report.h"
#include "verifier/scan/scan.h"

namespace wheelcheck::cli {
namespace {

int unreadable(const Error& error) {
  complain("wheelcheck: error: " + printable(error.message()) + "\n");
  return kExitUnreadable;
}

int show_member(const MemberFacts& member, const FactsOptions& options) {
  const int written = say(facts_of_member(member, options));
  return member.unread ? kExitUnreadable : written;
}

/// A wheel, or what is meant to be one: its faults are then named as those of an archive.
bool is_zip(const std::string& path) {
  if (path.ends_with(".whl")) return true;
  std::ifstream file(path, std::ios::binary);
  std::array<char, 4> magic{};
  return file.read(magic.data(), magic.size()) && magic[0] == 'P' && magic[1] == 'K';
}

int show_wheel(const std::string& file, const std::string& member, const FactsOptions& options) {
  ScanOptions scan;
  scan.want_local_symbols = !member.empty();
  const auto wheel = scan_wheel(file, scan);
  if (!wheel) return unreadable(wheel.error());
  if (!member.empty()) {
    const MemberFacts* found = wheel->find(member);
    if (found != nullptr) return show_member(*found, options);
    std::vector<std::string> names;
    for (const auto& [name, index] : wheel->by_path) names.push_back(name);
    return usage_error("there is no member '" + member + "' in " + file +
                       spelling_hint(member, names));
  }
  int code = say(facts_of_wheel(*wheel, options));
  for (const MemberFacts& one : wheel->members) {
    if (one.unread) code = kExitUnreadable;
  }
  return code;
}

}  // namespace

int show_command(const std::vector<std::string>& arguments) {
  std::string file;
  std::string member;
  std::string format = "text";
  FactsOptions options;
  CLI::App app("Prints the facts of a wheel, of one of its members, or of a library or program.",
               "wheelcheck show");
  app.add_option("FILE", file, "a wheel, or an ELF, Mach-O or PE file")->type_name("");
  app.add_option("--member", member, "of a wheel: this one, in depth")->type_name("PATH");
  app.add_flag("--symbols", options.symbols, "each symbol of an ELF file or --member");
  app.add_option("--format", format, "text (default) or json")
      ->check(CLI::IsMember({"text", "json"}).description(""))
      ->type_name("FORMAT");
  if (const auto code = parse_options(app, arguments)) return *code;
  if (file.empty()) return usage_error("nothing to show: name a wheel or an ELF file");
  options.json = format == "json";

  if (!is_zip(file)) {
    if (!member.empty()) return usage_error("--member is for wheels, which " + file + " is not");
    ScanOptions scan;
    scan.want_local_symbols = true;
    const auto facts = scan_file(file, scan);
    return facts ? show_member(*facts, options) : unreadable(facts.error());
  }
  if (options.symbols && member.empty()) {
    return usage_error("--symbols needs an ELF file, or a --member of the wheel");
  }
  return show_wheel(file, member, options);
}

}  // namespace wheelcheck::cli
