#include "verifier/cli/why_site.h"

namespace wheelcheck {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using wheelcheck::testing::in_quotes;
using wheelcheck::testing::kExtension;
using wheelcheck::testing::kinds;
using wheelcheck::testing::Outcome;
using wheelcheck::testing::Sandbox;
using wheelcheck::testing::Site;

TEST(Tree, ListsWhatTheLoaderListsInItsOrder) {
  Site site;
  site.add({kExtension, {"libz.so", "liby.so"}, "$ORIGIN/lib", "", "", "", ""})
      .add({"demo/lib/liby.so", {"libw.so", "libz.so"}, "$ORIGIN", "", "", "", ""})
      .add({"demo/lib/libz.so", {"libx.so"}, "$ORIGIN", "", "", "", ""})
      .add({"demo/lib/libw.so", {}, "", "", "", "", ""})
      .add({"demo/lib/libx.so", {}, "", "", "", "", ""});
  std::vector<std::string> names;
  const json report = site.tree("", 0);
  for (const json& object : report["roots"][0]["objects"]) {
    EXPECT_EQ(object["loads"], true);
    names.push_back(object["name"]);
  }
  EXPECT_EQ(names, site.list(kExtension));
  EXPECT_THAT(names, ElementsAre("libz.so", "liby.so", "libx.so", "libw.so"));
}

TEST(Tree, ShowsWhatIsMissingAndWhatIsLuck) {
  Site site;
  site.add({kExtension, {"libx.so", "liby.so"}, "$ORIGIN/lib:$ORIGIN/more", "", "", "", ""})
      .add({"demo/lib/liby.so", {"libx.so", "libgone.so"}, "", "", "", "", ""})
      .add({"demo/more/libx.so", {}, "", "", "", "", ""});
  const json report = site.tree("libx.so", 1);
  std::vector<std::string> said;
  for (const json& object : report["roots"][0]["objects"]) {
    said.push_back(std::string(object["name"]) + " " + std::string(object["verdict"]));
  }
  EXPECT_THAT(said, ElementsAre("libx.so own-path", "liby.so own-path", "libx.so luck",
                                "libgone.so not-found"));
}

TEST(WhyMessage, AVersionIsHeldAgainstThePlatformTag) {
  Site site;
  site.add({kExtension, {"libc.so.6"}, "", "", "", "", ""});
  const auto message = [&](const std::string& version) {
    return "ImportError: /lib/x86_64-linux-gnu/libc.so.6: version `" + version +
           "' not found (required by " + site.folder() + "/" + kExtension + ")";
  };
  const json too_new = site.why(message("GLIBC_2.38"), 1);
  EXPECT_THAT(kinds(too_new), ElementsAre("rebuild"));
  EXPECT_EQ(too_new["changes_suffice"], false);
  EXPECT_THAT(too_new["remarks"].dump(), HasSubstr("manylinux_2_28 does not promise GLIBC_2.38"));
  EXPECT_THAT(site.why(message("GLIBC_2.17"), 0)["remarks"].dump(), HasSubstr("is older"));
}

TEST(WhyMessage, ASymbolThatNobodyDefinesNeedsABuild) {
  Site site;
  site.add({kExtension, {}, "", "", "", "int f(void); int g(void) { return f(); }", ""});
  const json answer = site.why(site.open({kExtension}), 1);
  EXPECT_THAT(kinds(answer), ElementsAre("rebuild"));
  EXPECT_EQ(answer["changes_suffice"], false);
  EXPECT_THAT(answer["remarks"].dump(), HasSubstr("no file that is known here defines f"));
}

TEST(WhyMessage, AFileThatIsNoLibraryIsTold) {
  Site site;
  site.add({kExtension, {}, "", "", "", "", ""}).link("demo/libx.so", "nowhere.so.1");
  const json answer = site.why(site.open({"demo/libx.so"}), 1);
  EXPECT_EQ(answer["message"]["kind"], "not-elf");
  EXPECT_THAT(answer["remarks"].dump(), HasSubstr("demo/libx.so is no ELF file"));
}

TEST(WhyCommand, WrongCallsAndUnreadableInputsHaveTheirCodes) {
  Site site;
  site.add({kExtension, {"libx.so.1"}, "", "", "", "", ""});
  const Sandbox box;
  const std::string wheel = in_quotes(site.write_wheel());
  EXPECT_EQ(box.run("why").code, 2);
  EXPECT_EQ(box.run("why " + wheel).code, 2);
  const Outcome unknown = box.run("why " + wheel + " libx.so.2");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_THAT(unknown.err, HasSubstr("did you mean 'libx.so.1'?"));
  EXPECT_EQ(box.run("why " + wheel + " libx.so.1 --glibc new").code, 2);
  EXPECT_EQ(box.run("tree " + wheel + " libnone.so").code, 2);
  EXPECT_EQ(box.run("why gone.whl libx.so.1").code, 3);
  EXPECT_EQ(box.run("tree " + wheel + " --with gone.whl").code, 3);
  EXPECT_EQ(box.run("tree " + wheel + " --preload nothing").code, 3);
  for (const char* command : {"why", "tree"}) {
    EXPECT_EQ(box.run(std::string(command) + " --help").code, 0);
  }
}

}  // namespace
}  // namespace wheelcheck
