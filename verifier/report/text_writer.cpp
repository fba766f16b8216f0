// One line a finding, like a compiler's, so that people and editors can read it; what explains it
// follows indented. Everything that may come out of a wheel goes through printable().

#include "verifier/report/text_writer.h"

#include <algorithm>
#include <string_view>
#include <vector>

#include "verifier/report/amounts.h"
#include "verifier/report/escape.h"
#include "verifier/report/grouping.h"
#include "verifier/report/symbol_name.h"

namespace wheelcheck {
namespace {

constexpr std::string_view kUnreadMemberSlug = "unread-member";
constexpr std::size_t kShortList = 6;  // lines of a list that are shown without --verbose

constexpr std::string_view kBold = "\033[1m";
constexpr std::string_view kRed = "\033[1;31m";
constexpr std::string_view kYellow = "\033[1;33m";
constexpr std::string_view kCyan = "\033[1;36m";
constexpr std::string_view kGreen = "\033[1;32m";
constexpr std::string_view kDim = "\033[2m";

std::string_view base_name(std::string_view path) {
  const auto slash = path.find_last_of('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

std::string_view colour_of(Level level) {
  switch (level) {
    case Level::note:
      return kCyan;
    case Level::warning:
      return kYellow;
    case Level::error:
      break;
  }
  return kRed;
}

/// What a list is of depends on what the rule judges: NEEDED names, or something else.
struct Headings {
  const char* needed_by;
  const char* searched;
};
Headings headings_for(const CatalogueRow& rule) {
  if (std::string_view(rule.id).starts_with("WC1")) return {"needed by", "searched"};
  return {"in", "entries"};
}

/// Whether the rule that judges unread members ran: it says the same, and how to fix it.
bool told_by_a_finding(const Unread& unread, const std::vector<Finding>& findings) {
  return std::any_of(findings.begin(), findings.end(), [&unread](const Finding& finding) {
    return finding.place == unread.place &&
           std::string_view(finding.rule->slug) == kUnreadMemberSlug;
  });
}

class Writer {
 public:
  Writer(const TextOptions& options, std::string_view wheel) : options_(options), wheel_(wheel) {}

  void finding(const Group& group) {
    const Finding& finding = *group.first;
    headline(finding, group.count, group.also_in.empty());
    const Headings headings = headings_for(*finding.rule);
    list("also in", group.also_in);
    list(headings.needed_by, others_needing(finding));
    list(headings.searched, finding.searched, Cut::never);
    list("provided by", finding.provided_by);
    if (options_.verbose) {
      // The name as it stands in the file, for those who look there.
      if (readable_symbols(finding.subject) != finding.subject) raw("symbol", finding.subject);
      list("why", {finding.rule->why});
    }
    fix(finding);
  }

  /// Several that one thing is behind: the first in words, of the others what differs.
  void cause(const Cause& cause) {
    if (cause.groups.size() == 1) return finding(cause.groups.front());
    const Finding& first = *cause.groups.front().first;
    headline(first, cause.groups.front().count, true);
    Cause rest;
    rest.groups.assign(cause.groups.begin() + 1, cause.groups.end());
    list("likewise", members_of(rest));
    list("provided by", providers(first));
    fix(first);
  }

  void unread(const Unread& unread) {
    place(unread.place);
    paint(kRed, "unread");
    std::string message = unread.error.message();
    // The error names its place too.
    if (message.starts_with(unread.place + ": ")) message.erase(0, unread.place.size() + 2);
    out_ += ": " + printable(message) + '\n';
  }

  void paint(std::string_view colour, std::string_view text) {
    if (!options_.colour) {
      out_ += text;
      return;
    }
    out_ += colour;
    out_ += text;
    out_ += "\033[0m";
  }

  void add(std::string_view text) { out_ += text; }
  [[nodiscard]] std::string take() { return std::move(out_); }

 private:
  enum class Cut { when_long, never };

  void headline(const Finding& finding, std::uint64_t count, bool in_one_place) {
    place(finding.place);
    paint(colour_of(finding.level), level_name(finding.level));
    out_ += ": ";
    out_ += finding.rule->id;
    out_ += ' ';
    out_ += finding.rule->slug;
    out_ += ": ";
    out_ += readable(finding.what.empty() ? finding.subject : finding.what);
    const std::string times = std::to_string(count);
    // A rule that summarises says the number itself.
    const bool told = in_one_place && finding.what.find(times) != std::string::npos;
    if (count > 1 && !told) paint(kDim, " [" + times + " times]");
    out_ += '\n';
  }

  void fix(const Finding& finding) {
    const std::string fix = finding.fix.empty() ? finding.rule->fix : finding.fix;
    if (!fix.empty() && finding.level != Level::note) list("fix", {fix});
  }

  static std::string readable(std::string_view text) { return printable(readable_symbols(text)); }

  void raw(std::string_view heading, std::string_view line) {
    out_ += "    ";
    paint(kDim, std::string(heading) + ":");
    out_ += ' ' + printable(line) + '\n';
  }

  void place(const std::string& member) {
    const std::string_view whole = options_.name_wheel ? "(wheel)" : wheel_;
    paint(kBold, printable(member.empty() ? whole : member));
    out_ += ": ";
  }

  /// "    searched: one" or, for several, a heading with a line for each.
  void list(std::string_view heading, const std::vector<std::string>& lines,
            Cut cut = Cut::when_long) {
    if (lines.empty()) return;
    out_ += "    ";
    paint(kDim, std::string(heading) + ":");
    if (lines.size() == 1) {
      out_ += ' ' + readable(lines[0]) + '\n';
      return;
    }
    out_ += '\n';
    const bool all = options_.verbose || cut == Cut::never || lines.size() <= kShortList + 1;
    const std::size_t shown = all ? lines.size() : kShortList;
    for (std::size_t i = 0; i < shown; ++i) out_ += "        " + readable(lines[i]) + '\n';
    if (shown < lines.size()) {
      out_ += "        ... and " + std::to_string(lines.size() - shown) + " more (-v shows all)\n";
    }
  }

  const TextOptions& options_;
  std::string_view wheel_;
  std::string out_;
};

/// "2 errors, 1 warning"; without any of them "clean", unless `complete` forbids that word.
void verdict(Writer& writer, const Tally& tally, bool complete) {
  bool first = true;
  const auto part = [&](std::string_view colour, const std::string& text) {
    if (!first) writer.add(", ");
    first = false;
    writer.paint(colour, text);
  };
  if (tally.errors != 0) part(kRed, count_text(tally.errors, "error"));
  if (tally.warnings != 0) part(kYellow, count_text(tally.warnings, "warning"));
  if (complete && first) part(kGreen, "clean");
  if (!complete && tally.errors == 0) part(kRed, "not clean");
  if (tally.notes != 0) part(kCyan, count_text(tally.notes, "note"));
}

void wheel_summary(Writer& writer, const WheelReport& wheel) {
  const std::string name = printable(base_name(wheel.file));
  writer.paint(kBold, name);
  writer.add(": ");
  verdict(writer, wheel.tally(), wheel.complete());
  if (!wheel.unread.empty()) {
    writer.add(", ");
    writer.paint(kRed, count_text(wheel.unread.size(), "member") + " not read");
  }
  writer.add(" (profile " + printable(wheel.profile));
  if (!wheel.profile_because.empty()) {
    writer.add(", chosen because " + printable(wheel.profile_because));
  }
  writer.add("; " + count_text(wheel.stats.elf_files, "ELF file") + ", " +
             count_text(wheel.stats.members, "member") + ")\n");
  if (wheel.surroundings.empty()) return;
  std::string told;
  for (const std::string& one : wheel.surroundings) told += (told.empty() ? "" : ", ") + one;
  writer.add("    for this place only: judged with " + printable(told) + "\n");
}

void wheel_stats(Writer& writer, const WheelReport& wheel) {
  const ScanStats& stats = wheel.stats;
  std::string text = "    read " + bytes_text(stats.archive_bytes) + ", inflated " +
                     bytes_text(stats.inflated_bytes) + ", hashed " +
                     bytes_text(stats.hashed_bytes) + "; " +
                     count_text(stats.second_passes, "second pass");
  if (stats.second_passes != 0) text += " of " + bytes_text(stats.second_pass_bytes);
  if (stats.cross_checked + stats.cross_check_skipped != 0) {
    text += "; compared with LIEF " + count_text(stats.cross_checked, "ELF file") + ", skipped " +
            std::to_string(stats.cross_check_skipped);
  }
  text += "; " + seconds_text(wheel.wall_seconds) + ", " +
          rate_text(stats.inflated_bytes, wheel.wall_seconds) + " inflated\n";
  writer.add(text);
}

void total(Writer& writer, const Report& report) {
  std::uint64_t failed = 0;
  std::uint64_t incomplete = 0;
  for (const WheelReport& wheel : report.wheels) {
    if (!wheel.complete()) {
      ++incomplete;
    } else if (wheel.tally().at_or_above(report.fail_on) != 0) {
      ++failed;
    }
  }
  const std::uint64_t passed = report.wheels.size() - failed - incomplete;
  writer.paint(kBold, count_text(report.wheels.size(), "wheel"));
  writer.add(": " + std::to_string(passed) + " passed");
  if (failed != 0) writer.add(", " + std::to_string(failed) + " failed");
  if (incomplete != 0) writer.add(", " + std::to_string(incomplete) + " not read in full");
  writer.add("; ");
  verdict(writer, report.tally(), incomplete == 0);
  writer.add("\n");
}

}  // namespace

std::string text_of(const WheelReport& wheel, const TextOptions& options) {
  const std::string name = std::string(base_name(wheel.file));
  Writer writer(options, name);
  if (wheel.unreadable) {
    writer.paint(kBold, printable(name));
    writer.add(": ");
    writer.paint(kRed, "unreadable");
    writer.add(": " + printable(wheel.unreadable->message()) + "\n");
    return writer.take();
  }
  if (options.name_wheel && !(wheel.unread.empty() && wheel.findings.empty())) {
    writer.paint(kBold, "== " + printable(name));
    writer.add("\n");
  }
  for (const Unread& unread : wheel.unread) {
    if (!told_by_a_finding(unread, wheel.findings)) writer.unread(unread);
  }
  std::vector<Group> groups = grouped(wheel.findings);
  if (options.verbose) {
    for (const Group& group : groups) writer.finding(group);
  } else {
    for (const Cause& cause : by_cause(std::move(groups))) writer.cause(cause);
  }
  if (!options.quiet) wheel_summary(writer, wheel);
  if (options.stats) wheel_stats(writer, wheel);
  return writer.take();
}

std::string text_of_run(const Report& report, const TextOptions& options) {
  Writer writer(options, {});
  for (const Error& error : report.with_errors) {
    writer.paint(kBold, "--with");
    writer.add(": ");
    writer.paint(kRed, "unreadable");
    writer.add(": " + printable(error.message()) + "\n");
  }
  if (!options.quiet && report.wheels.size() > 1) total(writer, report);
  if (options.stats && report.beside.seconds > 0) {
    writer.add("beside: " + count_text(report.beside.read, "wheel") + " read, " +
               std::to_string(report.beside.cached) + " known from earlier runs; " +
               seconds_text(report.beside.seconds) + "\n");
  }
  if (options.stats && report.run) {
    const RunStats& run = *report.run;
    std::string text = "took " + seconds_text(run.wall_seconds) + ", " +
                       seconds_text(run.cpu_seconds) + " of processor time; peak memory " +
                       bytes_text(run.peak_memory);
    if (run.child_peak_memory != 0) {
      text += ", of a child process " + bytes_text(run.child_peak_memory);
    }
    writer.add(text + "; " + count_text(report.rules_run, "rule") + "\n");
  }
  return writer.take();
}

std::string text_of(const Report& report, const TextOptions& options) {
  std::string text;
  for (const WheelReport& wheel : report.wheels) text += text_of(wheel, options);
  return text + text_of_run(report, options);
}

}  // namespace wheelcheck
