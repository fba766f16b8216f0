#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "nlohmann/json.hpp"

#include "verifier/cli/program.h"
#include "verifier/cli/tiny_wheel.h"
#include "verifier/report/schema_check.h"

namespace wheelcheck {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using wheelcheck::testing::Outcome;
using wheelcheck::testing::Sandbox;
using wheelcheck::testing::schema_faults;
using wheelcheck::testing::tiny_library;
using wheelcheck::testing::TinyWheel;

constexpr const char* kTag = "cp312-cp312-manylinux_2_28_x86_64";
constexpr const char* kExtension = "demo/ext.cpython-312-x86_64-linux-gnu.so";
/// A part of every glibc that no platform tag promises.
constexpr const char* kOnEveryGlibc = "libthread_db.so.1";

/// `wheelcheck check` told of the place where a wheel will run. Only what is needed is judged.
class CheckIn : public ::testing::Test {
 protected:
  Sandbox box;

  /// The rules that fire on a wheel, with their levels; the report keeps to its schema.
  std::vector<std::string> fired(const std::string& wheel, const std::string& options, int code) {
    const Outcome outcome = box.run("check --select WC1 --format json " + options + " " + wheel);
    EXPECT_EQ(outcome.code, code) << outcome.out << outcome.err;
    std::vector<std::string> rules;
    if (outcome.out.empty()) return rules;
    report = json::parse(outcome.out);
    std::ifstream file(WHEELCHECK_SOURCE_DIR "/docs/report.schema.json");
    EXPECT_THAT(schema_faults(json::parse(file), report), IsEmpty());
    for (const json& finding : report["wheels"][0]["findings"]) {
      rules.push_back(std::string(finding["slug"]) + " " + std::string(finding["level"]));
    }
    return rules;
  }
  std::string extension(const std::vector<std::string>& needed, const std::string& runpath = "",
                        const std::string& requirement = "") const {
    return TinyWheel(kTag, requirement)
        .add(kExtension, tiny_library(needed, runpath))
        .write(box.path());
  }
  void install(const std::string& name, const std::string& library) const {
    const std::string info = "site/" + name + "-1.0.dist-info/";
    box.make_folder(info.substr(0, info.size() - 1));
    box.write(info + "METADATA", "Metadata-Version: 2.1\nName: " + name + "\nVersion: 13.5\n");
    box.write(info + "RECORD", library + ",,\n");
    box.make_folder("site/" + library.substr(0, library.rfind('/')));
    box.write("site/" + library, tiny_library({"libc.so.6"}));
  }

  json report;
};

TEST_F(CheckIn, NothingIsToldUnlessItIsAskedFor) {
  const std::string wheel = extension({"libc.so.6"});
  EXPECT_THAT(fired(wheel, "", 0), IsEmpty());
  EXPECT_THAT(report["wheels"][0]["surroundings"], IsEmpty());
  EXPECT_THAT(box.run(wheel).out, Not(HasSubstr("for this place only")));
}

TEST_F(CheckIn, AnEnvironmentIsAllThatIsThere) {
  const std::string wheel =
      extension({"libcudart.so.13"}, "$ORIGIN/../nvidia/cu13/lib", "nvidia-cuda-runtime>=13,<14");
  EXPECT_THAT(fired(wheel, "", 0), ElementsAre("needed-only-joined note"))
      << "as required, by the table";
  install("pure", "pure/data/libnothing.so");
  const std::string environment = "--site-packages " + box.path() + "/site";
  EXPECT_THAT(fired(wheel, environment, 1), ElementsAre("needed-undeclared error"));
  EXPECT_THAT(report.dump(), HasSubstr("belongs to a package that is not installed there"));
  install("nvidia-cuda-runtime", "nvidia/cu13/lib/libcudart.so.13");
  EXPECT_THAT(fired(wheel, environment, 0), IsEmpty());
  EXPECT_THAT(report["wheels"][0]["surroundings"].dump(), HasSubstr("--site-packages"));
  const std::string said = box.run(environment + " " + wheel).out;
  EXPECT_THAT(said, AllOf(HasSubstr("for this place only: judged with only what is installed in "),
                          HasSubstr("/site beside (--site-packages)\n")));
  EXPECT_THAT(fired(wheel, "--site-packages " + box.path() + "/nowhere", 3),
              ElementsAre("needed-undeclared error"));
}

TEST_F(CheckIn, ALayoutIsToldByItsNameOrByTwoFolders) {
  const std::string wheel =
      extension({"libcudart.so.13"}, "$ORIGIN/../nvidia/cu13/lib", "nvidia-cuda-runtime>=13,<14");
  EXPECT_THAT(fired(wheel, "", 0), ElementsAre("needed-only-joined note"));
  EXPECT_THAT(fired(wheel, "--site-packages-layout joined", 0), IsEmpty());
  EXPECT_THAT(fired(wheel, "--site-packages-layout split", 1), ElementsAre("needed-no-hop error"));
  EXPECT_THAT(report["wheels"][0]["surroundings"].dump(), HasSubstr("in two directories"));
  const std::string plat = "--site-packages " + box.make_folder("lib64/site-packages");
  const std::string pure = "--site-packages " + box.make_folder("lib/site-packages");
  EXPECT_EQ(box.run("--site-packages-layout split " + plat + " " + wheel).code, 2);
  EXPECT_EQ(box.run("--site-packages-layout joined " + plat + " " + pure + " " + wheel).code, 2);
  const Outcome others =
      box.run(plat + " --site-packages " + box.make_folder("opt/lib/site-packages") + " " + wheel);
  EXPECT_EQ(others.code, 2);
  EXPECT_THAT(others.err, HasSubstr("one is in lib64 where the other is in lib"));
  EXPECT_EQ(box.run("--site-packages-layout apart " + wheel).code, 2);
  EXPECT_EQ(box.run("tree --site-packages-layout split " + box.path()).code, 2);
}

TEST_F(CheckIn, WhatOnlyLdLibraryPathFindsIsAWarning) {
  const std::string wheel = extension({"libouter.so"});
  EXPECT_THAT(fired(wheel, "", 1), ElementsAre("needed-not-found error"));
  box.make_folder("libs");
  box.write("libs/libouter.so", tiny_library({"libinner.so"}));
  const std::string path = "--ld-library-path " + box.path() + "/libs";
  EXPECT_THAT(fired(wheel, path, 0), ElementsAre("needed-from-surroundings warning"));
  EXPECT_THAT(report.dump(), HasSubstr("only because LD_LIBRARY_PATH leads to it"));
  EXPECT_THAT(fired(wheel, "--ld-library-path " + box.path(), 1),
              ElementsAre("needed-not-found error"));
}

TEST_F(CheckIn, LdLibraryPathMayLeadIntoTheEnvironment) {
  const std::string wheel = extension({"libother.so"}, "", "other");
  install("other", "other/lib/libother.so");
  const std::string environment = "--site-packages " + box.path() + "/site";
  EXPECT_THAT(fired(wheel, environment, 1), ElementsAre("needed-no-hop error"));
  EXPECT_THAT(fired(wheel, environment + " --ld-library-path " + box.path() + "/site/other/lib", 0),
              ElementsAre("needed-from-surroundings warning"));
}

TEST_F(CheckIn, TheMachinesLibrariesTakeThePlaceOfTheTags) {
  const std::string wheel = extension({kOnEveryGlibc, "libc.so.6", "ld-linux-x86-64.so.2"});
  EXPECT_THAT(fired(wheel, "", 1), ElementsAre("needed-not-found error"));
  EXPECT_THAT(fired(wheel, "--host", 0), ElementsAre("needed-from-surroundings warning"));
  EXPECT_THAT(report.dump(), HasSubstr("manylinux_2_28 does not promise it"));
  EXPECT_THAT(report["wheels"][0]["surroundings"].dump(), HasSubstr("--host"));
  const std::string missing = extension({"libnowhere.so.7"});
  EXPECT_THAT(fired(missing, "--host", 1), ElementsAre("needed-not-found error"));
  EXPECT_THAT(report.dump(), HasSubstr("not among the libraries of this machine"));
}

TEST_F(CheckIn, ASearchPathFromTheRootIsFollowedOnTheMachineOnly) {
  box.make_folder("libs");
  box.write("libs/libouter.so", tiny_library({}));
  const std::string wheel = extension({"libouter.so"}, box.path() + "/libs");
  EXPECT_THAT(fired(wheel, "", 1), ElementsAre("needed-not-found error"));
  EXPECT_THAT(fired(wheel, "--host", 0), ElementsAre("needed-from-surroundings warning"));
  // The environment is nowhere on the machine: the same path told from $ORIGIN leads nowhere.
  const std::string out = "$ORIGIN/../../../../.." + box.path() + "/libs:" + box.path() + "/libs";
  EXPECT_THAT(fired(extension({"libouter.so"}, out), "--host", 0),
              ElementsAre("needed-from-surroundings warning"));
  EXPECT_THAT(fired(extension({"libouter.so"}, "$ORIGIN/../../../../.." + box.path() + "/libs"),
                    "--host", 1),
              ElementsAre("needed-not-found error"));
}

TEST_F(CheckIn, WhatIsPreloadedIsNoMatterOfLuck) {
  const std::string wheel = TinyWheel(kTag)
                                .add(kExtension, tiny_library({"libpart.so"}))
                                .add("demo/lib/libpart.so", tiny_library({}))
                                .write(box.path());
  EXPECT_THAT(fired(wheel, "", 1), ElementsAre("needed-unreachable error"));
  // By a path it has no other name: it has no SONAME. By its name it is still not found.
  EXPECT_THAT(fired(wheel, "--preload demo/lib/libpart.so", 1),
              ElementsAre("needed-unreachable error"));
  const std::string opener = TinyWheel(kTag)
                                 .add(kExtension, tiny_library({"libpart.so"}))
                                 .add("demo/first.cpython-312-x86_64-linux-gnu.so",
                                      tiny_library({"libpart.so"}, "$ORIGIN/lib"))
                                 .add("demo/lib/libpart.so", tiny_library({}))
                                 .write(box.path());
  EXPECT_THAT(fired(opener, "--preload demo/first.cpython-312-x86_64-linux-gnu.so", 0),
              ElementsAre("needed-preloaded warning"));
  EXPECT_THAT(report.dump(), HasSubstr("only where this wheel's demo/lib/libpart.so is already"));
  EXPECT_EQ(box.run("--preload nothing " + opener).code, 3);
}

TEST_F(CheckIn, FromGlibc241NoLibraryWithAnExecutableStackIsOpened) {
  std::string library = tiny_library({});
  const std::size_t stack = library.find(std::string("\x51\xe5\x74\x64\x06", 5));
  ASSERT_NE(stack, std::string::npos);
  library[stack + 4] = 7;
  const std::string wheel = TinyWheel(kTag)
                                .add(kExtension, tiny_library({"libstack.so"}, "$ORIGIN"))
                                .add("demo/libstack.so", library)
                                .write(box.path());
  EXPECT_THAT(fired(wheel, "", 0), IsEmpty());
  EXPECT_THAT(fired(wheel, "--glibc 2.40", 0), IsEmpty());
  EXPECT_THAT(fired(wheel, "--glibc 2.41", 1), ElementsAre("needed-unusable error"));
  EXPECT_EQ(box.run("--glibc new " + wheel).code, 2);
}

TEST_F(CheckIn, AMachineOfAnotherKindJudgesNothing) {
  const std::string wheel =
      TinyWheel("cp312-cp312-musllinux_1_2_x86_64")
          .add("demo/ext.cpython-312-x86_64-linux-musl.so", tiny_library({"libc.so"}))
          .write(box.path());
  const Outcome outcome = box.run("--host " + wheel);
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.out, HasSubstr("not for glibc on x86-64"));
  EXPECT_EQ(box.run("tree --host " + wheel).code, 3);
}

TEST_F(CheckIn, WhyAndTreeKnowTheMachineBesideAWheelToo) {
  const std::string wheel = extension({kOnEveryGlibc, "libc.so.6", "ld-linux-x86-64.so.2"});
  EXPECT_EQ(box.run("why " + wheel + " " + kExtension).code, 1);
  const Outcome there = box.run("why --host " + wheel + " " + kExtension);
  EXPECT_EQ(there.code, 0) << there.out << there.err;
  EXPECT_THAT(there.out, HasSubstr(std::string("ok    ") + kOnEveryGlibc));
  EXPECT_THAT(there.out, HasSubstr("ok    ld-linux-x86-64.so.2: a system library of this machine"));
  EXPECT_THAT(there.out, Not(HasSubstr("no such file"))) << "the loader is not looked for";
  const Outcome tree = box.run("tree --host " + wheel);
  EXPECT_EQ(tree.code, 0) << tree.out << tree.err;
  EXPECT_THAT(tree.out, HasSubstr("libc.so.6"));
}

}  // namespace
}  // namespace wheelcheck
