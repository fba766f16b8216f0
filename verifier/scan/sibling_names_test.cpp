#include "verifier/scan/sibling_names.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace wheelcheck {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

const LibraryNames kNames = {"libx.so", "libx.so.1", "y.so"};

std::vector<std::string> seen(const std::vector<std::string>& chunks) {
  SiblingScanner scanner(kNames);
  for (const std::string& chunk : chunks) scanner.consume(as_bytes(chunk));
  return scanner.finish();
}

std::string text(const char* name) { return std::string(name) + '\0'; }

TEST(SiblingNames, WholeStringsAndLastComponentsCount) {
  EXPECT_THAT(seen({text("libx.so")}), ElementsAre("libx.so"));
  EXPECT_THAT(seen({text("a") + text("libx.so.1") + text("/lib/y.so")}),
              ElementsAre("libx.so.1", "y.so"));
}

TEST(SiblingNames, PartsOfOtherNamesDoNot) {
  EXPECT_THAT(seen({text("my.so") + text("libx.so.2") + text("libx.so says") + text("libx.sock")}),
              IsEmpty());
  EXPECT_THAT(seen({"libx.so"}), IsEmpty()) << "a string that does not end";
}

TEST(SiblingNames, AStringMayLieAcrossChunksOfAnySize) {
  const std::string data = std::string(700, 'a') + '\0' + text("libx.so") + std::string(600, '\1') +
                           '\0' + text("/y.so") + std::string(300, 'b') + ".so" + '\0';
  for (std::size_t size = 1; size < data.size(); size += 1 + size / 16) {
    std::vector<std::string> chunks;
    for (std::size_t at = 0; at < data.size(); at += size) chunks.push_back(data.substr(at, size));
    EXPECT_THAT(seen(chunks), ElementsAre("libx.so", "y.so")) << size;
  }
}

TEST(SiblingNames, NoStringGoesOverWhatIsLeftOut) {
  SiblingScanner scanner(kNames);
  scanner.consume(as_bytes("libx"));
  scanner.skip();
  scanner.consume(as_bytes(text(".so") + text("y.so")));
  EXPECT_THAT(scanner.finish(), ElementsAre("y.so"));
}

TEST(SiblingNames, LibrariesAreToldByTheirNames) {
  for (const char* name :
       {"libx.so", "a/b/libx.so.1.2", "pkg/ext.cpython-312-x86_64-linux-gnu.so"}) {
    EXPECT_TRUE(is_library_name(name)) << name;
  }
  for (const char* name : {"libx.so.txt", "a.so/b", ".so", "libx.a", "libx.sob"}) {
    EXPECT_FALSE(is_library_name(name)) << name;
  }
}

}  // namespace
}  // namespace wheelcheck
