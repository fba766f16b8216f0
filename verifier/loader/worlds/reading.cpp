#include "verifier/loader/worlds/reading.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <sys/stat.h>
#include <sys/wait.h>

#include "verifier/loader/search_path.h"

namespace wheelcheck::worlds {

namespace {

void for_each_line(const std::string& text, const std::function<void(std::string_view)>& visit) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    visit(std::string_view(text).substr(at, end - at));
    at = end + 1;
  }
}

/// The part of `line` between two texts.
std::optional<std::string> between(std::string_view line, std::string_view before,
                                   std::string_view behind) {
  const std::size_t at = line.find(before);
  if (at == std::string_view::npos) return std::nullopt;
  const std::size_t start = at + before.size();
  const std::size_t end = line.find(behind, start);
  if (end == std::string_view::npos) return std::nullopt;
  return std::string(line.substr(start, end - start));
}

/// "  12345:\tfile=..." without what comes before the text; nothing for lines of others.
std::optional<std::string_view> debug_text(std::string_view line) {
  std::size_t at = line.find_first_not_of(' ');
  const std::size_t digits = at;
  while (at < line.size() && line[at] >= '0' && line[at] <= '9') ++at;
  if (at == std::string_view::npos || at == digits || line.substr(at, 2) != ":\t") {
    return std::nullopt;
  }
  return line.substr(at + 2);
}

/// Turns LD_DEBUG's lines into those of a reading.
class DebugLines {
 public:
  explicit DebugLines(std::string root) : root_(std::move(root)) {}

  void take(std::string_view line) {
    if (line.starts_with("object=")) {
      object_ = between(line, "object=", " [").value_or("");
    } else if (line.starts_with(" scope ")) {
      take_scope(line.substr(line.find(": ") + 2));
    } else if (line.starts_with("  trying file=")) {
      const std::string path(line.substr(14));
      last_ = path;
      if (is_in_directory(path)) lines_.push_back("try " + path);
    } else if (line.starts_with("file=")) {
      take_file(line);
    }
  }

  std::vector<std::string> lines() { return std::move(lines_); }
  void put_scopes(std::vector<std::string>& to, const std::string& program) const {
    for (const auto& [object, scope] : scopes_) {
      const bool own = object == program || is_loader_itself(object) || scope.empty();
      if (!own) to.push_back("scope " + object + ":" + scope);
    }
  }

 private:
  void take_file(std::string_view line) {
    const std::string name = between(line, "file=", " [").value_or("");
    if (const auto by = between(line, "needed by ", " [")) {
      lines_.push_back("want " + name + " by " + *by);
    } else if (const auto from = between(line, "dynamically loaded by ", " [")) {
      lines_.push_back("want " + name + " by " + *from);
    } else if (line.find("generating link map") != std::string_view::npos && !lines_.empty()) {
      // Without a search before it, the name is the path; the program itself was asked by nobody.
      const bool searched = lines_.back().starts_with("try ");
      lines_.push_back("new " + (searched ? last_ : name));
    }
  }

  void take_scope(std::string_view objects) {
    std::string scope;
    std::size_t at = 0;
    bool first = true;
    while (at < objects.size()) {
      const std::size_t end = std::min(objects.find(' ', at), objects.size());
      const std::string_view one = objects.substr(at, end - at);
      at = end + 1;
      if (one.empty()) continue;
      if (first && one != object_) return;  // the scope of another object
      first = false;
      if (!is_loader_itself(one)) scope += " " + std::string(one);
    }
    scopes_[object_] = scope;
  }

  bool is_in_directory(const std::string& path) {
    const std::string_view directory = directory_of(path);
    std::string where(directory);
    if (!path.starts_with('/')) where = root_ + "/" + where;
    struct stat there {};
    return ::stat(where.c_str(), &there) == 0 && S_ISDIR(there.st_mode);
  }

  const std::string root_;
  std::vector<std::string> lines_;
  std::string last_;
  std::string object_;
  std::map<std::string, std::string> scopes_;
};

/// What dlerror names first: the library that is missing or damaged.
std::string failed_name(std::string_view message) {
  constexpr std::string_view kMusl = "Error loading shared library ";
  if (message.starts_with(kMusl)) message.remove_prefix(kMusl.size());
  return std::string(message.substr(0, message.find(": ")));
}

void take_host_line(std::string_view line, std::vector<std::string>& opened,
                    std::vector<std::string>& objects, std::string_view program) {
  if (line == "opened") {
    opened.emplace_back("opened");
  } else if (line.starts_with("failed ")) {
    opened.push_back("failed " + failed_name(line.substr(7)));
  } else if (line.starts_with("object ")) {
    const std::string_view path = line.substr(7);
    if (path.empty() || path == program || is_loader_itself(path)) return;
    objects.push_back("holds " + std::string(path));
  }
}

void append(std::vector<std::string>& to, const std::vector<std::string>& more) {
  to.insert(to.end(), more.begin(), more.end());
}

}  // namespace

std::vector<std::string> tried_files(const Written& written) {
  std::vector<std::string> tried;
  for_each_line(written.err, [&](std::string_view line) {
    const auto text = debug_text(line);
    constexpr std::string_view kTry = "  trying file=";
    if (text && text->starts_with(kTry)) tried.emplace_back(text->substr(kTry.size()));
  });
  return tried;
}

bool is_loader_itself(std::string_view path) {
  const std::string_view name = base_name_of(path);
  return name.starts_with("ld-linux") || name.starts_with("ld-musl") ||
         name.starts_with("linux-vdso") || name == "ld.so";
}

Reading glibc_reading(const Written& written, const ReadingOf& what) {
  DebugLines debug(what.directory);
  bool stopped = WIFSIGNALED(written.status);
  for_each_line(written.err, [&](std::string_view line) {
    if (const auto text = debug_text(line)) {
      debug.take(*text);
    } else if (line.find("error while loading shared libraries") != std::string_view::npos) {
      stopped = true;
    }
  });
  Reading reading;
  reading.lines = debug.lines();
  std::vector<std::string> opened;
  std::vector<std::string> objects;
  for_each_line(written.out, [&](std::string_view line) {
    if (!line.starts_with('\t')) {
      take_host_line(line, opened, objects, what.program);
      return;
    }
    line.remove_prefix(1);
    const std::size_t arrow = line.find(" => ");
    if (line.ends_with(" => not found")) {
      objects.push_back("missing " + std::string(line.substr(0, arrow)));
      return;
    }
    if (arrow != std::string_view::npos) line.remove_prefix(arrow + 4);
    line = line.substr(0, line.rfind(" ("));
    if (!is_loader_itself(line) && line != "statically linked") {
      objects.push_back("holds " + std::string(line));
    }
  });
  append(reading.lines, opened);
  append(reading.lines, objects);
  if (stopped) reading.lines.emplace_back("stop");
  if (what.host) debug.put_scopes(reading.lines, what.program);
  return reading;
}

Reading musl_reading(const Written& written, const ReadingOf& what) {
  Reading reading;
  std::vector<std::string> objects;
  bool stopped = WIFSIGNALED(written.status);
  const auto take_error = [&](std::string_view line) {
    constexpr std::string_view kError = "Error loading shared library ";
    if (!line.starts_with(kError)) return;
    const std::string name = failed_name(line);
    const auto by = between(line, "(needed by ", ")");
    reading.lines.push_back("missing " + name + " by " + by.value_or(""));
    stopped = stopped || what.host;
  };
  for_each_line(written.err, take_error);
  for_each_line(written.out, [&](std::string_view line) {
    if (!line.starts_with('\t')) {
      take_error(line);
      take_host_line(line, reading.lines, objects, what.program);
      return;
    }
    line.remove_prefix(1);
    const std::size_t arrow = line.find(" => ");
    if (arrow == std::string_view::npos) return;  // the loader itself
    const std::string_view path = line.substr(arrow + 4, line.rfind(" (") - arrow - 4);
    if (is_loader_itself(path)) return;
    reading.lines.push_back("new " + std::string(path));
  });
  if (stopped) {
    reading.lines.emplace_back("stop");
    return reading;
  }
  append(reading.lines, objects);
  return reading;
}

}  // namespace wheelcheck::worlds
