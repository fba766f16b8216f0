#include <chrono>
#include <map>
#include <string>
#include <sys/resource.h>
#include <vector>

#include "CLI/CLI.hpp"

#include "rules/policy.h"
#include "rules/rule.h"
#include "verifier/check/check.h"
#include "verifier/check/selection.h"
#include "verifier/check/spelling.h"
#include "verifier/cli/commands.h"
#include "verifier/cli/console.h"
#include "verifier/cli/inputs.h"
#include "verifier/cli/options.h"
#include "verifier/cli/progress.h"
#include "verifier/cli/surroundings_options.h"
#include "verifier/report/json_writer.h"
#include "verifier/report/report.h"
#include "verifier/report/text_writer.h"

namespace wheelcheck::cli {
namespace {

using Clock = std::chrono::steady_clock;

struct CheckOptions {
  std::vector<std::string> inputs;
  std::vector<std::string> with;
  std::string profile;
  SurroundingsTexts texts;
  Surroundings surroundings;
  Selection selection;
  FailOn fail_on = FailOn::error;
  std::string format = "text";
  std::string colour = "auto";
  unsigned threads = 0;
  bool stats = false;
  bool cache = true;
  bool cross_check = false;
  bool quiet = false;
  bool verbose = false;
};

void declare(CLI::App& app, CheckOptions& options) {
  const std::map<std::string, FailOn> levels = {{"error", FailOn::error},
                                                {"warning", FailOn::warning},
                                                {"note", FailOn::note},
                                                {"never", FailOn::never}};
  constexpr unsigned kMostThreads = 1024;
  // Options that repeat take one value each time, so that they never swallow a wheel.
  const auto repeats = [](CLI::Option* option, const char* type) {
    option->allow_extra_args(false)->type_name(type);
  };
  app.add_option("WHEEL", options.inputs, "wheels, or folders of wheels")->type_name("");
  repeats(app.add_option("--with", options.with,
                         "wheel, folder of wheels or site-packages, installed beside"),
          "PATH");
  cli::declare(app, options.surroundings, options.texts);
  app.add_option("--profile", options.profile, "what is expected of the package")
      ->type_name("NAME");
  repeats(app.add_option("--select", options.selection.select,
                         "only these rules: ids, slugs, families such as WC1"),
          "LIST");
  repeats(
      app.add_option("--ignore", options.selection.ignore, "not these rules; wins over --select"),
      "LIST");
  app.add_option("--fail-on", options.fail_on, "error (default), warning, note or never")
      ->transform(CLI::CheckedTransformer(levels).description(""))
      ->type_name("LEVEL");
  app.add_option("--format", options.format, "text (default) or json")
      ->check(CLI::IsMember({"text", "json"}).description(""))
      ->type_name("FORMAT");
  app.add_option("--color", options.colour, "auto (default), always or never")
      ->check(CLI::IsMember({"auto", "always", "never"}).description(""))
      ->type_name("WHEN");
  app.add_option("--threads", options.threads, "how many to use (default: one per processor)")
      ->check(CLI::Range(1U, kMostThreads).description(""))
      ->type_name("N");
  app.add_flag("--cross-check", options.cross_check, "compare every ELF file's facts with LIEF's");
  declare_no_cache(app, options.cache);
  app.add_flag("--stats", options.stats, "what the run cost");
  app.add_flag("-q,--quiet", options.quiet, "findings only");
  app.add_flag("-v,--verbose", options.verbose, "lists in full, and why each finding matters");
}

/// Empty: there is such a profile, or none was asked for.
std::string unknown_profile(const std::string& name) {
  if (name.empty()) return "";
  std::vector<std::string> names;
  std::string listed;
  for (const Profile& profile : Policy::built_in_profiles()) {
    if (profile.name == name) return "";
    names.push_back(profile.name);
    listed += (listed.empty() ? "" : ", ") + profile.name;
  }
  return "there is no profile '" + name + "'" + spelling_hint(name, names) +
         " (there are: " + listed + ")";
}

Result<std::vector<const Rule*>> rules_for(const Selection& selection) {
  std::vector<const CatalogueRow*> rows;
  for (const Rule* rule : all_rules()) rows.push_back(&rule->row);
  const auto chosen = choose_rules(selection, rows);
  if (!chosen) return chosen.error();
  std::vector<const Rule*> rules;
  for (const CatalogueRow* row : *chosen) rules.push_back(find_rule(row->id));
  return rules;
}

RunStats cost_since(Clock::time_point start) {
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  constexpr std::uint64_t kKibibyte = 1024;  // the unit of ru_maxrss
  RunStats cost;
  cost.wall_seconds = std::chrono::duration<double>(Clock::now() - start).count();
  rusage self{};
  rusage children{};
  getrusage(RUSAGE_SELF, &self);
  getrusage(RUSAGE_CHILDREN, &children);
  cost.cpu_seconds = seconds(self.ru_utime) + seconds(self.ru_stime) + seconds(children.ru_utime) +
                     seconds(children.ru_stime);
  cost.peak_memory = static_cast<std::uint64_t>(self.ru_maxrss) * kKibibyte;
  cost.child_peak_memory = static_cast<std::uint64_t>(children.ru_maxrss) * kKibibyte;
  return cost;
}

int run(const CheckOptions& options, CheckRequest& request) {
  const auto start = Clock::now();
  const bool as_text = options.format == "text";
  TextOptions text;
  text.colour = as_text && want_colour(options.colour);
  text.quiet = options.quiet;
  text.verbose = options.verbose;
  text.stats = options.stats;
  text.name_wheel = request.wheels.size() > 1;

  Progress progress(request.wheels.size());
  if (progress_is_seen() && !options.quiet) {
    request.progress = [&progress](const std::string& file, std::uint64_t done,
                                   std::uint64_t total) { progress.show(file, done, total); };
  }
  bool written = true;
  request.wheel_done = [&](const WheelReport& wheel) {
    progress.wheel_done();
    if (as_text && written) written = put(text_of(wheel, text));
  };
  Report report = check_wheels(request);
  progress.clear();
  if (options.stats) report.run = cost_since(start);
  if (written) written = put(as_text ? text_of_run(report, text) : json_of(report));
  return written ? report.exit_code() : kExitUnreadable;
}

}  // namespace

int check_command(const std::vector<std::string>& arguments) {
  CheckOptions options;
  CLI::App app("Judges built wheels: will they load, are they what they say they are?",
               "wheelcheck check");
  declare(app, options);
  if (const auto code = parse_options(app, arguments)) return *code;
  if (options.quiet && options.verbose)
    return usage_error("--quiet and --verbose exclude each other");
  if (options.inputs.empty()) return usage_error("nothing to check: name a wheel or a folder");
  if (const std::string fault = unknown_profile(options.profile); !fault.empty()) {
    return usage_error(fault);
  }

  if (const auto wrong = settle(options.surroundings, options.texts)) return *wrong;

  CheckRequest request;
  auto inputs = expand_inputs(options.inputs);
  if (!inputs) return usage_error(inputs.error().message());
  auto rules = rules_for(options.selection);
  if (!rules) return usage_error(rules.error().what);
  request.wheels = std::move(inputs).value();
  request.rules = std::move(rules).value();
  request.with = options.with;
  request.surroundings = options.surroundings;
  request.cache = options.cache;
  request.profile = options.profile;
  request.fail_on = options.fail_on;
  request.scan.threads = options.threads;
  request.scan.cross_check = options.cross_check;
  return run(options, request);
}

}  // namespace wheelcheck::cli
