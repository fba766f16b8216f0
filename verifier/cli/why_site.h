#pragma once

// A small package for tests of `why` and `tree`: compiled, laid down, packed, opened by the real
// loader, and changed as an answer says.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "verifier/cli/program.h"
#include "verifier/cli/tiny_wheel.h"
#include "verifier/report/schema_check.h"

namespace wheelcheck::testing {

using nlohmann::json;
namespace fs = std::filesystem;

inline constexpr const char* kExtension = "demo/ext.cpython-312-x86_64-linux-gnu.so";
inline constexpr const char* kTag = "cp312-cp312-manylinux_2_28_x86_64";

inline constexpr const char* kMuslTag = "cp312-cp312-musllinux_1_2_x86_64";

inline std::string in_quotes(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

struct Library {
  std::string path;
  std::vector<std::string> needs;
  std::string runpath;
  std::string rpath;
  std::string soname;  ///< empty: the file's name
  std::string code;
  std::string flags;
};

/// An installed package, and the wheel that it came with.
class Site {
 public:
  explicit Site(bool musl = false) : musl_(musl) {
    fs::create_directories(folder());
    fs::create_directories(box_.path() + "/stubs");
    source("host", R"(
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <sys/prctl.h>
void* PyObject_Nothing(void) { return 0; }
int main(int count, char** names) {
  for (int i = 1; i < count; ++i) {
    /* Refuses an executable stack as glibc 2.41 does: PR_SET_MDWE, PR_MDWE_REFUSE_EXEC_GAIN. */
    if (names[i][0] == '!') {
      if (prctl(65, 1, 0, 0, 0) != 0) { puts("no-mdwe"); return 2; }
      continue;
    }
    if (!dlopen(names[i], RTLD_NOW)) { puts(dlerror()); return 1; }
  }
  return 0;
})");
    compile("host", "-rdynamic", "");
  }

  [[nodiscard]] std::string folder() const { return box_.path() + "/site"; }

  Site& add(const Library& library) {
    const std::string name = fs::path(library.path).filename().string();
    fs::create_directories(fs::path(folder() + "/" + library.path).parent_path());
    source("lib", library.code);
    std::string link = "-shared -fPIC -nostdlib -Wl,--no-as-needed " + library.flags;
    link += " -Wl,-soname," + in_quotes(library.soname.empty() ? name : library.soname);
    if (!library.runpath.empty()) {
      link += " -Wl,--enable-new-dtags -Wl,-rpath," + in_quotes(library.runpath);
    }
    if (!library.rpath.empty()) {
      link += " -Wl,--disable-new-dtags -Wl,-rpath," + in_quotes(library.rpath);
    }
    std::string stubs;
    for (const std::string& need : library.needs) stubs += " " + in_quotes(stub(need));
    compile("lib", link, stubs, folder() + "/" + library.path);
    files_.insert(library.path);
    return *this;
  }
  /// A symbolic link of the wheel, installed as pip does.
  Site& link(const std::string& path, const std::string& target) {
    std::ofstream(folder() + "/" + path) << target;
    links_[path] = target;
    return *this;
  }
  Site& requiring(std::string line) {
    requirement_ = std::move(line);
    return *this;
  }
  /// A library of another package.
  void install(const std::string& path) {
    add({path, {}, "", "", "", "", ""});
    files_.erase(path);
  }

  /// What the real loader says when it opens these; empty: it does.
  [[nodiscard]] std::string open(const std::vector<std::string>& paths) const {
    // Without ld.so.cache: what this machine has installed is of no interest.
    std::string command = in_quotes(box_.path() + "/host");
    if (!musl_) command = "/lib64/ld-linux-x86-64.so.2 --inhibit-cache " + command;
    for (const std::string& path : paths) {
      command += " " + (path == "!" ? "'!'" : in_quotes(folder() + "/" + path));
    }
    return run(command);
  }

  [[nodiscard]] std::string write_wheel() const {
    TinyWheel wheel(musl_ ? kMuslTag : kTag, requirement_);
    for (const std::string& path : files_) wheel.add(path, content(folder() + "/" + path));
    for (const auto& [path, target] : links_) wheel.add_link(path, target);
    return wheel.write(box_.path());
  }

  [[nodiscard]] json why(const std::string& question, int code,
                         const std::string& options = "") const {
    return answer("why", write_wheel(), in_quotes(question) + " " + options, code);
  }
  [[nodiscard]] json why_folder(const std::string& question, int code,
                                const std::string& options = "") const {
    return answer("why", folder(), in_quotes(question) + " " + options, code);
  }
  [[nodiscard]] json tree(const std::string& library, int code) const {
    return answer("tree", write_wheel(), library, code);
  }
  /// What ld.so lists for a library, the loader itself left out.
  [[nodiscard]] std::vector<std::string> list(const std::string& path) const {
    EXPECT_EQ(run("/lib64/ld-linux-x86-64.so.2 --list " + in_quotes(folder() + "/" + path)), "");
    std::istringstream lines(content(box_.path() + "/said"));
    std::vector<std::string> names;
    for (std::string line; std::getline(lines, line);) {
      const std::size_t arrow = line.find(" => ");
      if (arrow != std::string::npos) names.push_back(line.substr(1, arrow - 1));
    }
    return names;
  }
  /// A site-packages folder with one package that holds no library.
  [[nodiscard]] std::string empty_environment() const {
    const std::string folder = box_.make_folder("other");
    box_.write("other/pure-1.0.dist-info/METADATA",
               "Metadata-Version: 2.1\nName: pure\nVersion: 1.0\n");
    box_.write("other/pure-1.0.dist-info/RECORD", "pure-1.0.dist-info/METADATA,,\n");
    return folder;
  }

  [[nodiscard]] std::string text(const std::string& question) const {
    return box_.run("why " + in_quotes(write_wheel()) + " " + in_quotes(question)).out;
  }
  static std::string content(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }

  /// Does what the answer says.
  void apply(const json& answer) {
    EXPECT_EQ(answer["changes_suffice"], true) << answer["changes"].dump(2);
    EXPECT_FALSE(answer["changes"].empty());
    for (const json& change : answer["changes"]) {
      if (change["kind"] == "require") {
        requirement_ = change["requirement"];
      } else if (change["kind"] == "ship") {
        // "nothing known has libx.so: ship it beside demo/ext.so"
        const std::string words = change["words"];
        const std::size_t from = words.find(" has ") + 5;
        const std::string name = words.substr(from, words.find(':') - from);
        add({fs::path(std::string(change["file"])).parent_path().string() + "/" + name,
             {},
             "",
             "",
             "",
             "",
             ""});
      } else if (change["command"].is_string()) {
        const std::string command = change["command"];
        if (change["kind"] == "replace-file") {
          links_.erase(std::string(change["file"]));
          files_.insert(std::string(change["file"]));
        }
        EXPECT_EQ(run("PATH=" + in_quotes(fs::path(PATCHELF).parent_path()) + ":$PATH; cd " +
                      in_quotes(folder()) + " && " + command),
                  "")
            << command;
      }
    }
  }

 private:
  [[nodiscard]] json answer(const std::string& command, const std::string& subject,
                            const std::string& more, int code) const {
    const Outcome outcome =
        box_.run(command + " " + in_quotes(subject) + " " + more + " --format json");
    EXPECT_EQ(outcome.code, code) << outcome.out << outcome.err;
    if (outcome.out.empty()) return {};
    json parsed = json::parse(outcome.out);
    const json schema =
        json::parse(content(WHEELCHECK_SOURCE_DIR "/docs/" + command + ".schema.json"));
    EXPECT_THAT(schema_faults(schema, parsed), ::testing::IsEmpty());
    return parsed;
  }

  void source(const std::string& name, const std::string& code) const {
    std::ofstream(box_.path() + "/" + name + ".c") << code << "\n";
  }
  void compile(const std::string& name, const std::string& options, const std::string& more,
               std::string output = "") const {
    if (output.empty()) output = box_.path() + "/" + name;
    const std::string said =
        run(std::string(musl_ ? MUSL_COMPILER : C_COMPILER) + " -w -o " + in_quotes(output) + " " +
            in_quotes(box_.path() + "/" + name + ".c") + " " + options + more);
    ASSERT_TRUE(fs::exists(output)) << said;
  }
  /// Something to link to, so that the name becomes a NEEDED.
  std::string stub(const std::string& name) {
    const auto known = stubs_.find(name);
    if (known != stubs_.end()) return known->second;
    const std::string path = box_.path() + "/stubs/" + std::to_string(stubs_.size()) + ".so";
    source("stub", "");
    compile("stub", "-shared -nostdlib -Wl,-soname," + in_quotes(name), "", path);
    return stubs_[name] = path;
  }
  [[nodiscard]] std::string run(const std::string& command) const {
    const std::string said = box_.path() + "/said";
    const int status = std::system(("(" + command + ") >" + in_quotes(said) + " 2>&1").c_str());
    const std::string out = content(said);
    return status == 0 ? std::string() : out.empty() ? "failed" : out;
  }

  bool musl_;
  Sandbox box_;
  std::set<std::string> files_;
  std::map<std::string, std::string> links_;
  std::map<std::string, std::string> stubs_;
  std::string requirement_;
};

inline std::vector<std::string> kinds(const json& answer) {
  std::vector<std::string> kinds;
  for (const json& change : answer["changes"]) kinds.push_back(change["kind"]);
  return kinds;
}

/// The loader refuses `root`; what its message leads to is done; the loader takes it, and what is
/// packed again is in order.
inline json mended(Site& site, const std::string& root, const std::string& lands = "") {
  const std::string message = site.open({root});
  EXPECT_NE(message, "");
  const json answer = site.why(message, 1);
  EXPECT_TRUE(answer["message"].is_object()) << message;
  site.apply(answer);
  if (!lands.empty()) site.install(lands);
  EXPECT_EQ(site.open({root}), "");
  EXPECT_EQ(site.why(root, 0)["changes"], json::array());
  return answer;
}

}  // namespace wheelcheck::testing
