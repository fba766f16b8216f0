// Every kind of change that `why` suggests, made: a small package is compiled, the real loader
// refuses it, its own message is the question, what the answer says is done to the files, and the
// loader then takes them. The changed package, packed again, is found in order.
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "verifier/cli/program.h"
#include "verifier/cli/tiny_wheel.h"
#include "verifier/report/schema_check.h"

namespace wheelcheck {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using wheelcheck::testing::Outcome;
using wheelcheck::testing::Sandbox;
using wheelcheck::testing::TinyWheel;
namespace fs = std::filesystem;

constexpr const char* kExtension = "demo/ext.cpython-312-x86_64-linux-gnu.so";
constexpr const char* kTag = "cp312-cp312-manylinux_2_28_x86_64";

std::string in_quotes(const std::string& text) {
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
  Site() {
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
    std::string command =
        "/lib64/ld-linux-x86-64.so.2 --inhibit-cache " + in_quotes(box_.path() + "/host");
    for (const std::string& path : paths) {
      command += " " + (path == "!" ? "'!'" : in_quotes(folder() + "/" + path));
    }
    return run(command);
  }

  [[nodiscard]] std::string write_wheel() const {
    TinyWheel wheel(kTag, requirement_);
    for (const std::string& path : files_) wheel.add(path, content(folder() + "/" + path));
    for (const auto& [path, target] : links_) wheel.add_link(path, target);
    return wheel.write(box_.path());
  }

  [[nodiscard]] json why(const std::string& question, int code) const {
    const Outcome outcome =
        box_.run("why " + in_quotes(write_wheel()) + " " + in_quotes(question) + " --format json");
    EXPECT_EQ(outcome.code, code) << outcome.out << outcome.err;
    if (outcome.out.empty()) return {};
    json answer = json::parse(outcome.out);
    static const json kSchema = json::parse(content(WHEELCHECK_SOURCE_DIR "/docs/why.schema.json"));
    EXPECT_THAT(wheelcheck::testing::schema_faults(kSchema, answer), ::testing::IsEmpty());
    return answer;
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
        EXPECT_EQ(run("cd " + in_quotes(folder()) + " && " + command), "") << command;
      }
    }
  }

 private:
  void source(const std::string& name, const std::string& code) const {
    std::ofstream(box_.path() + "/" + name + ".c") << code << "\n";
  }
  void compile(const std::string& name, const std::string& options, const std::string& more,
               std::string output = "") const {
    if (output.empty()) output = box_.path() + "/" + name;
    const std::string said = run(std::string(C_COMPILER) + " -w -o " + in_quotes(output) + " " +
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

  Sandbox box_;
  std::set<std::string> files_;
  std::map<std::string, std::string> links_;
  std::map<std::string, std::string> stubs_;
  std::string requirement_;
};

std::vector<std::string> kinds(const json& answer) {
  std::vector<std::string> kinds;
  for (const json& change : answer["changes"]) kinds.push_back(change["kind"]);
  return kinds;
}

/// The loader refuses `root`; what its message leads to is done; the loader takes it, and what is
/// packed again is in order.
json mended(Site& site, const std::string& root, const std::string& lands = "") {
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

TEST(WhyWorld, NoSearchPathLeadsToALibraryOfTheWheel) {
  Site site;
  site.add({kExtension, {"libx.so"}, "", "", "", "", ""})
      .add({"demo/lib/libx.so", {}, "", "", "", "", ""});
  const json answer = mended(site, kExtension);
  EXPECT_THAT(kinds(answer), ElementsAre("search-path"));
  EXPECT_EQ(answer["changes"][0]["command"],
            "patchelf --set-rpath '$ORIGIN/lib' " + std::string(kExtension));
}

TEST(WhyWorld, WaysAreAsDeepAsTheFileLies) {
  for (const std::string path :
       {"libd.so", "demo/libd.so", "demo/a/libd.so", "demo/a/b/libd.so", "demo/a/b/c/libd.so"}) {
    Site site;
    site.requiring("nvidia-cuda-runtime>=13,<14")
        .add({path, {"libcudart.so.13"}, "", "", "", "", ""});
    const json answer = mended(site, path, "nvidia/cu13/lib/libcudart.so.13");
    std::string way = "$ORIGIN";
    for (const char c : path) way += c == '/' ? "/.." : "";
    EXPECT_THAT(std::string(answer["changes"][0]["command"]),
                HasSubstr("'" + way + "/nvidia/cu13/lib'"));
  }
}

TEST(WhyWorld, WhatTheSearchPathHoldsStays) {
  Site site;
  site.add({kExtension, {"liby.so", "libx.so"}, "$ORIGIN/lib:/opt/gone", "", "", "", ""})
      .add({"demo/lib/liby.so", {}, "", "", "", "", ""})
      .add({"demo/more/libx.so", {}, "", "", "", "", ""});
  const json answer = mended(site, kExtension);
  EXPECT_THAT(std::string(answer["changes"][0]["command"]),
              HasSubstr("'$ORIGIN/lib:/opt/gone:$ORIGIN/more'"));
}

TEST(WhyWorld, AnRpathStaysOne) {
  Site site;
  site.add({kExtension, {"liby.so", "libx.so"}, "", "$ORIGIN/lib", "", "", ""})
      .add({"demo/lib/liby.so", {"libz.so"}, "", "", "", "", ""})  // lives by the extension's RPATH
      .add({"demo/lib/libz.so", {}, "", "", "", "", ""})
      .add({"demo/more/libx.so", {}, "", "", "", "", ""});
  const json answer = mended(site, kExtension);
  EXPECT_THAT(std::string(answer["changes"][0]["command"]), HasSubstr("--force-rpath"));
}

TEST(WhyWorld, AFileThatInheritsGetsNoRunpath) {
  Site site;
  site.add({kExtension, {"liby.so"}, "", "$ORIGIN/lib", "", "", ""})
      .add({"demo/lib/liby.so", {"libz.so", "libx.so"}, "", "", "", "", ""})
      .add({"demo/lib/libz.so", {}, "", "", "", "", ""})
      .add({"demo/more/libx.so", {}, "", "", "", "", ""});
  const json answer = mended(site, kExtension);
  EXPECT_EQ(answer["changes"][0]["command"],
            "patchelf --force-rpath --set-rpath '$ORIGIN/../more' demo/lib/liby.so");
}

TEST(WhyWorld, FoundByLuckAlone) {
  Site site;
  site.add({kExtension, {"libx.so", "liby.so"}, "$ORIGIN/lib:$ORIGIN/more", "", "", "", ""})
      .add({"demo/lib/liby.so", {"libx.so"}, "", "", "", "", ""})
      .add({"demo/more/libx.so", {}, "", "", "", "", ""});
  EXPECT_EQ(site.open({kExtension}), "");
  EXPECT_NE(site.open({"demo/lib/liby.so"}), "");  // the order of loading is nobody's promise
  const json answer = site.why("liby.so", 1);
  EXPECT_EQ(answer["objects"][0]["needs"][0]["verdict"], "luck");
  site.apply(answer);
  EXPECT_EQ(site.open({"demo/lib/liby.so"}), "");
  EXPECT_EQ(site.why("liby.so", 0)["changes"], json::array());
}

TEST(WhyWorld, APackageThatNobodyRequires) {
  Site site;
  site.add({kExtension, {"libcudart.so.13"}, "$ORIGIN", "", "", "", ""});
  const json answer = mended(site, kExtension, "nvidia/cu13/lib/libcudart.so.13");
  EXPECT_THAT(kinds(answer), ElementsAre("require", "search-path"));
  EXPECT_THAT(std::string(answer["changes"][0]["requirement"]), HasSubstr("nvidia-cuda-runtime"));
  EXPECT_THAT(answer["objects"][0]["needs"][0]["providers"].dump(),
              HasSubstr("nvidia/cu13/lib/libcudart.so.13"));
}

TEST(WhyWorld, ALibraryThatARepairToolRenamed) {
  Site site;
  site.add({kExtension, {"libfoo.so.12"}, "$ORIGIN/../demo.libs", "", "", "", ""})
      .add({"demo.libs/libfoo-1a2b3c4d.so.12.8", {}, "", "", "", "", ""});
  const json answer = mended(site, kExtension);
  EXPECT_THAT(kinds(answer), ElementsAre("replace-needed"));
}

TEST(WhyWorld, ALibraryWhoseFileIsNotCalledByItsSoname) {
  Site site;
  site.add({kExtension, {"libfoo.so.1"}, "", "", "", "", ""})
      .add({"demo/lib/foo.so", {}, "", "", "libfoo.so.1", "", ""});
  const json answer = mended(site, kExtension);
  EXPECT_THAT(kinds(answer), ElementsAre("replace-needed", "search-path"));
}

TEST(WhyWorld, APathInNeeded) {
  Site site;
  site.add({kExtension, {"/builder/lib/libx.so"}, "", "", "", "", ""})
      .add({"demo/lib/libx.so", {}, "", "", "", "", ""});
  const json answer = mended(site, kExtension);
  EXPECT_THAT(kinds(answer), ElementsAre("replace-needed", "search-path"));
}

TEST(WhyWorld, TheInterpretersLibrary) {
  Site site;
  site.add({kExtension,
            {"libpython3.99.so.1.0"},
            "",
            "",
            "",
            "void* PyObject_Nothing(void); void* f(void) { return PyObject_Nothing(); }",
            ""});
  const json answer = mended(site, kExtension);
  EXPECT_THAT(kinds(answer), ElementsAre("remove-needed"));
}

TEST(WhyWorld, ASymbolicLinkThatBecameText) {
  Site site;
  site.add({kExtension, {"libx.so.1"}, "$ORIGIN/lib", "", "", "", ""})
      .add({"demo/lib/libx.so.1.2", {}, "", "", "libx.so.1", "", ""})
      .link("demo/lib/libx.so.1", "libx.so.1.2");
  const json answer = mended(site, kExtension);
  EXPECT_THAT(kinds(answer), ElementsAre("replace-file"));
}

TEST(WhyWorld, SomethingElseLiesBeforeTheLibrary) {
  Site site;
  site.add({kExtension, {"libx.so"}, "$ORIGIN/lib:$ORIGIN/more", "", "", "", ""})
      .add({"demo/more/libx.so", {}, "", "", "", "", ""});
  fs::create_directories(site.folder() + "/demo/lib");
  site.link("demo/lib/libx.so", "nowhere.so");
  const json answer = mended(site, kExtension);
  EXPECT_THAT(std::string(answer["changes"][0]["command"]),
              HasSubstr("'$ORIGIN/more:$ORIGIN/lib'"));
}

TEST(WhyWorld, ALibraryThatNobodyHas) {
  Site site;
  site.add({kExtension, {"libunheard.so.3"}, "", "", "", "", ""});
  const json answer = mended(site, kExtension);
  EXPECT_THAT(kinds(answer), ElementsAre("ship", "search-path"));
}

TEST(WhyWorld, WhatIsFoundLacksSomethingInItsTurn) {
  Site site;
  site.add({kExtension, {"libx.so"}, "", "", "", "", ""})
      .add({"demo/lib/libx.so", {"liby.so"}, "", "", "", "", ""})
      .add({"demo/more/liby.so", {}, "", "", "", "", ""});
  const json answer = mended(site, kExtension);
  EXPECT_THAT(kinds(answer), ElementsAre("search-path", "search-path"));
}

TEST(WhyWorld, ASymbolOfALibraryThatIsNotNeeded) {
  Site site;
  site.add({kExtension, {}, "", "", "", "int f(void); int g(void) { return f(); }", ""})
      .add({"demo/lib/libx.so", {}, "", "", "", "int f(void) { return 1; }", ""});
  const std::string message = site.open({kExtension});
  EXPECT_THAT(message, HasSubstr("undefined symbol: f"));
  const json answer = site.why(message, 1);
  EXPECT_THAT(kinds(answer), ElementsAre("add-needed", "search-path"));
  site.apply(answer);
  EXPECT_EQ(site.open({kExtension}), "");
  EXPECT_EQ(site.why(message, 0)["changes"], json::array());
}

TEST(WhyWorld, TheGuideShowsWhatIsReallyPrinted) {
  Site site;
  site.requiring("nvidia-cuda-runtime<14,>=13")
      .add({"demo/_core.cpython-312-x86_64-linux-gnu.so",
            {"libcudart.so.13", "libx.so"},
            "$ORIGIN:$ORIGIN/../nvidia/cu13/lib",
            "",
            "",
            "",
            ""})
      .add({"demo/libx.so", {"libcudart.so.13", "libc.so.6"}, "", "", "", "", ""});
  const std::string guide = site.content(WHEELCHECK_SOURCE_DIR "/docs/guide.md");
  EXPECT_THAT(guide, HasSubstr("```\n" + site.text("libx.so") + "```\n"));
}

}  // namespace
}  // namespace wheelcheck
