// Every kind of change that `why` suggests, made: a small package is compiled, the real loader
// refuses it, its own message is the question, what the answer says is done to the files, and the
// loader then takes them. The changed package, packed again, is found in order.
#include "verifier/cli/why_site.h"

namespace wheelcheck {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using wheelcheck::testing::in_quotes;
using wheelcheck::testing::kExtension;
using wheelcheck::testing::kinds;
using wheelcheck::testing::mended;
using wheelcheck::testing::Site;
namespace fs = std::filesystem;

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

TEST(WhyWorld, TheLoaderTellsOfTheFirstNameOnly) {
  Site site;
  site.add({kExtension, {"libx.so", "liby.so"}, "", "", "", "", ""})
      .add({"demo/lib/libx.so", {}, "", "", "", "", ""})
      .add({"demo/more/liby.so", {}, "", "", "", "", ""});
  const json answer = mended(site, kExtension);
  EXPECT_THAT(std::string(answer["changes"][0]["command"]),
              HasSubstr("'$ORIGIN/lib:$ORIGIN/more'"));
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

TEST(WhyWorld, AnExecutableStack) {
  Site site;
  site.add({kExtension, {"libx.so"}, "$ORIGIN", "", "", "", ""})
      .add({"demo/libx.so", {}, "", "", "", "", "-z execstack"});
  const std::string message = site.open({"!", kExtension});
  if (message.starts_with("no-mdwe")) GTEST_SKIP() << "this kernel never refuses such a stack";
  if (std::system("\"" PATCHELF "\" --help 2>&1 | grep -q clear-execstack") != 0) {
    GTEST_SKIP() << "this patchelf is too old to take the flag away";
  }
  EXPECT_THAT(message, HasSubstr("cannot enable executable stack"));
  const json answer = site.why(message, 1);
  EXPECT_THAT(kinds(answer), ElementsAre("clear-execstack"));
  EXPECT_EQ(site.why(kExtension, 1, "--glibc 2.41")["changes"], answer["changes"]);
  EXPECT_EQ(site.why(kExtension, 0, "--glibc 2.40")["changes"], json::array());
  site.apply(answer);
  EXPECT_EQ(site.open({"!", kExtension}), "");
  EXPECT_EQ(site.why(kExtension, 0, "--glibc 2.41")["changes"], json::array());
}

TEST(WhyWorld, MuslAsksInOtherWordsAndIsMendedLikewise) {
  Site site(true);
  site.add({kExtension, {"libx.so", "liby.so"}, "$ORIGIN/$LIB:$ORIGIN/lib", "", "", "", ""})
      .add({"demo/lib/liby.so", {}, "", "", "", "", ""})
      .add({"demo/more/libx.so", {"liby.so"}, "", "", "", "", ""});
  const json answer = mended(site, kExtension);
  EXPECT_EQ(answer["message"]["asker"].is_string(), true);
  // One token that musl does not know, and it skips the whole path.
  EXPECT_THAT(answer["changes"].dump(), Not(HasSubstr("$LIB")));
}

TEST(WhyWorld, WhatIsThereBeforeIsNoSearchPath) {
  Site site;
  site.add({kExtension, {"libx.so"}, "", "", "", "", ""})
      .add({"demo/lib/libx.so", {}, "", "", "", "", ""});
  EXPECT_EQ(site.open({"demo/lib/libx.so", kExtension}), "");
  const json answer = site.why(kExtension, 1, "--preload libx.so");
  const json& need = answer["objects"][0]["needs"][0];
  EXPECT_EQ(need["verdict"], "luck");
  EXPECT_EQ(need["preloaded"], true);
  site.apply(answer);
  EXPECT_EQ(site.open({kExtension}), "");
}

TEST(WhyWorld, AFolderIsExplainedAsItLies) {
  Site site;
  site.add({kExtension, {"liby.so"}, "$ORIGIN/lib", "", "", "", ""})
      .add({"demo/lib/liby.so", {"libx.so"}, "", "", "", "", ""})
      .add({"demo/more/libx.so", {}, "", "", "", "", ""});
  const std::string message = site.open({kExtension});
  const json answer = site.why_folder(message, 1);
  EXPECT_EQ(answer["objects"][0]["file"], "demo/lib/liby.so");
  EXPECT_THAT(kinds(answer), ElementsAre("search-path"));
  EXPECT_EQ(site.why_folder(message, 1, "--host")["system"], "this machine");
  const json helped = site.why_folder("liby.so", 1, "--ld-library-path site/demo/more");
  EXPECT_EQ(helped["objects"][0]["needs"][0]["verdict"], "not-found");  // relative: from where?
  const json there =
      site.why_folder("liby.so", 1, "--ld-library-path " + in_quotes(site.folder() + "/demo/more"));
  EXPECT_EQ(there["objects"][0]["needs"][0]["verdict"], "ld-library-path");
  site.apply(answer);
  EXPECT_EQ(site.open({kExtension}), "");
  EXPECT_EQ(site.why_folder(kExtension, 0)["changes"], json::array());
  EXPECT_EQ(site.why_folder(kExtension, 0, "--host")["changes"], json::array());
}

TEST(WhyWorld, APackageThatAFolderLacksIsInstalled) {
  Site site;
  site.add({kExtension, {"libcudart.so.13"}, "$ORIGIN", "", "", "", ""});
  const json answer = site.why_folder(kExtension, 1);
  EXPECT_THAT(kinds(answer), ElementsAre("require", "search-path"));
  site.apply(answer);
  site.install("nvidia/cu13/lib/libcudart.so.13");
  EXPECT_EQ(site.open({kExtension}), "");
  EXPECT_EQ(site.why_folder(kExtension, 0)["changes"], json::array());
}

TEST(WhyWorld, WhatIsInstalledBesideIsAllThereIs) {
  Site site;
  site.requiring("nvidia-cuda-runtime>=13,<14")
      .add({kExtension, {"libcudart.so.13"}, "$ORIGIN/../nvidia/cu13/lib", "", "", "", ""});
  EXPECT_EQ(site.why(kExtension, 0)["firm"], true);  // as required, by the table
  const std::string other = site.empty_environment();
  EXPECT_EQ(site.why(kExtension, 1, "--site-packages " + in_quotes(other))["firm"], false);
}

TEST(WhyWorld, NotesTellWhatIsOpenedLater) {
  Site site;
  const std::string text = R"([{"feature":"zip","priority":"required","soname":["libx.so"]}])";
  std::string code =
      "__attribute__((section(\".note.dlopen\"), used, aligned(4))) static const "
      "struct { unsigned a, b, c; char n[4]; char t[64]; } note = {4, 64, "
      "0x407c0c0a, \"FDO\", ";
  code += "\"";
  for (const char c : text) code += c == '"' ? std::string("\\\"") : std::string(1, c);
  code += "\"};";
  site.add({kExtension, {}, "", "", "", code, ""})
      .add({"demo/lib/libx.so", {}, "", "", "", "", ""});
  const json later = site.why(kExtension, 1)["objects"][0]["later"];
  ASSERT_EQ(later.size(), 1U);
  EXPECT_EQ(later[0]["name"], "libx.so");
  EXPECT_EQ(later[0]["feature"], "zip");
  EXPECT_EQ(later[0]["firm"], false);
  const json tree = site.tree("", 1)["roots"];
  ASSERT_EQ(tree[0]["later"].size(), 1U) << "what is required and not found is not firm";
  EXPECT_EQ(tree[0]["later"][0]["name"], "libx.so");
  EXPECT_EQ(tree[0]["later"][0]["asker"], kExtension);
  EXPECT_EQ(tree[0]["later"][0]["verdict"], "not-found");
}

}  // namespace
}  // namespace wheelcheck
