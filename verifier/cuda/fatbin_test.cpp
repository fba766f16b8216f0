#include <algorithm>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <string>

#include "verifier/cuda/collector.h"
#include "verifier/cuda/dump.h"
#include "verifier/cuda/layout.h"
#include "verifier/cuda/scan.h"

namespace wheelcheck {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr std::string_view kToolkitText = "Cuda compilation tools, release 13.0, V13.0.88";

void put(std::string& out, std::uint64_t value, std::size_t width) {
  for (std::size_t i = 0; i < width; ++i) out += static_cast<char>(value >> (8 * i));
}

struct Entry {
  std::uint16_t kind = 2;
  std::uint32_t arch = 90;
  std::uint64_t flags = 0x11;
  std::string payload =
      "\x7f"
      "ELF....";
  std::uint32_t header = 64;
  std::uint16_t version = 0x0101;
};

std::string entry(const Entry& e) {
  std::string out;
  put(out, e.kind, 2);
  put(out, e.version, 2);
  put(out, e.header, 4);
  put(out, e.payload.size(), 8);
  put(out, 0, 8);
  put(out, 0x10008, 4);
  put(out, e.arch, 4);
  put(out, 0, 8);
  put(out, e.flags, 8);
  out.resize(e.header);
  return out + e.payload;
}

std::string container(const std::string& entries) {
  std::string out;
  put(out, 0xba55ed50, 4);
  put(out, 1, 2);
  put(out, 16, 2);
  put(out, entries.size(), 8);
  return out + entries;
}

std::string cubin(std::size_t size = 256) {
  std::string payload =
      "\x7f"
      "ELF";
  payload.resize(size / 2);
  payload += kToolkitText;
  payload.resize(std::max(size, payload.size() + 1));
  payload.resize((payload.size() + 7) / 8 * 8);
  return payload;
}

FatbinFacts walk(const std::string& file, std::uint64_t offset = 0, std::uint64_t size = 0,
                 std::size_t chunk = 1 << 20) {
  FatbinCollector collector("lib.so");
  for (std::size_t at = 0; at < file.size(); at += chunk) {
    collector.consume(as_bytes(std::string_view(file).substr(at, chunk)));
  }
  return collector.finish(offset, size);
}

std::vector<std::string> lines(const FatbinFacts& facts) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < facts.entries.size(); ++i) {
    const auto& e = facts.entries[i];
    out.push_back(std::to_string(facts.counts[i]) + " " + arch_name(e) + " " +
                  (e.compressed ? "compressed" : e.toolkit));
  }
  return out;
}

TEST(Fatbin, EntriesTellKindArchitectureAndToolkit) {
  const std::string file = std::string(24, 'x') + container(entry({2, 80, 0x11, cubin()}) +
                                                            entry({1, 90, 0x8011, "zstd...."}));
  const FatbinFacts facts = walk(file);
  EXPECT_EQ(facts.containers, 1u);
  EXPECT_THAT(lines(facts), ElementsAre("1 sm_80 13.0", "1 compute_90 compressed"));
  EXPECT_EQ(facts.entries[0].offset, 40u);
  EXPECT_EQ(facts.entries[0].size, cubin().size());
  EXPECT_EQ(facts.entries[0].raw_kind, 2);
  EXPECT_THAT(facts.unknown, IsEmpty());
  EXPECT_TRUE(facts.any());
}

TEST(Fatbin, VariantsAreInTheFlags) {
  const FatbinFacts facts =
      walk(container(entry({2, 90, 0x100011, cubin()}) + entry({2, 120, 0x1200011, cubin()}) +
                     entry({1, 100, 0x208011, "zstd...."})));
  EXPECT_THAT(lines(facts),
              ElementsAre("1 sm_90a 13.0", "1 sm_120f 13.0", "1 compute_100f compressed"));
}

TEST(Fatbin, BothCompressionsAreToldAndTheirToolkitIsUnknown) {
  // The text of a compressed payload would be chance.
  const FatbinFacts facts =
      walk(container(entry({2, 80, 0x8011, cubin()}) + entry({2, 80, 0x2011, cubin()})));
  EXPECT_THAT(lines(facts), ElementsAre("2 sm_80 compressed"));
  EXPECT_EQ(facts.entries[0].toolkit, "");
}

TEST(Fatbin, ContainersRepeatAndEntriesFold) {
  std::string file;
  for (int i = 0; i < 5; ++i) {
    file += container(entry({2, 80, 0x11, cubin()}) + entry({2, 90, 0x11, cubin()}));
    file += std::string(static_cast<std::size_t>(i) * 8, '\0');
  }
  const FatbinFacts facts = walk(file);
  EXPECT_EQ(facts.containers, 5u);
  EXPECT_THAT(lines(facts), ElementsAre("5 sm_80 13.0", "5 sm_90 13.0"));
}

TEST(Fatbin, ChunksDoNotMatter) {
  const std::string file =
      std::string(40, 'x') +
      container(entry({2, 80, 0x11, cubin(3000), 112}) + entry({1, 90, 0x8011, "zstd...."})) +
      std::string(8, '\0') + container(entry({2, 90, 0x100011, cubin(100)}));
  const std::string expected = dump(walk(file));
  EXPECT_THAT(expected, HasSubstr("sm_90a"));
  for (std::size_t chunk = 1; chunk < 200; ++chunk) {
    EXPECT_EQ(dump(walk(file, 0, 0, chunk)), expected) << chunk;
  }
}

TEST(Fatbin, TheToolkitTextIsFoundAcrossAnyCut) {
  const std::string file = container(entry({2, 80, 0x11, cubin(512)}));
  for (std::size_t cut = 0; cut < file.size(); ++cut) {
    FatbinCollector collector("");
    collector.consume(as_bytes(std::string_view(file).substr(0, cut)));
    collector.consume(as_bytes(std::string_view(file).substr(cut)));
    EXPECT_THAT(lines(collector.finish(0, 0)), ElementsAre("1 sm_80 13.0")) << cut;
  }
}

TEST(Fatbin, CubinsOfSeveralToolkitsAreToldApart) {
  std::string other = cubin();
  other.replace(other.find("13.0,"), 4, "13.2");
  const FatbinFacts facts =
      walk(container(entry({2, 80, 0x11, cubin()}) + entry({2, 80, 0x11, other}) +
                     entry({2, 80, 0x11,
                            "\x7f"
                            "ELF no text"})));
  EXPECT_THAT(lines(facts), ElementsAre("1 sm_80 13.0", "1 sm_80 13.2", "1 sm_80 "));
}

TEST(Fatbin, AMagicThatIsNotAlignedIsNoContainer) {
  const FatbinFacts facts = walk("1234" + container(entry({2, 80, 0x11, cubin()})));
  EXPECT_FALSE(facts.any());
}

TEST(Fatbin, AMagicInCodeIsNoDeviceCode) {
  std::string file(64, '\x90');
  put(file, 0xba55ed50, 4);
  file += "\x75\x1b\x48\x8b\x45\xf8\x48\x89\xc7\xe8\x01\x02";
  EXPECT_FALSE(walk(file).any());
  // Where device code belongs, it is a layout that was not understood.
  EXPECT_THAT(walk(file, 64, 16).unknown,
              ElementsAre(HasSubstr("0x40"), HasSubstr("no container")));
}

TEST(Fatbin, UnknownLayoutsAreReportedWithTheirOffset) {
  std::string version = container(entry({2, 80, 0x11, cubin()}));
  version[4] = 2;
  EXPECT_THAT(walk(std::string(8, 'x') + version).unknown, ElementsAre(HasSubstr("offset 0x8)")));

  const FatbinFacts bad_entry = walk(container(entry({2, 80, 0x11, cubin(), 64, 0x0202})));
  EXPECT_THAT(bad_entry.unknown, ElementsAre(HasSubstr("offset 0x10)")));
  EXPECT_TRUE(bad_entry.any());

  std::string too_long = container(entry({2, 80, 0x11, cubin()}));
  too_long[16 + 8 + 2] = 1;  // payload size + 64 KiB
  EXPECT_THAT(walk(too_long).unknown, ElementsAre(HasSubstr("are left")));

  const FatbinFacts kind = walk(container(entry({16, 90, 0x11, cubin()})));
  EXPECT_THAT(lines(kind), ElementsAre("1 kind16_90 "));
}

TEST(Fatbin, ACubinThatIsNoElfFileAndNotCompressedIsReported) {
  const FatbinFacts facts = walk(container(entry({2, 80, 0x11, "whatever this is"})));
  EXPECT_THAT(facts.unknown, ElementsAre(HasSubstr("neither")));
  EXPECT_EQ(facts.entries.size(), 1u);
}

TEST(Fatbin, AContainerBehindADamagedOneIsFound) {
  std::string damaged = container(entry({2, 80, 0x11, cubin(), 64, 0x0202}));
  const FatbinFacts facts = walk(damaged + container(entry({2, 90, 0x11, cubin()})));
  EXPECT_THAT(lines(facts), ElementsAre("1 sm_90 13.0"));
  EXPECT_EQ(facts.unknown.size(), 1u);
}

TEST(Fatbin, TruncationsAreReported) {
  const std::string file = container(entry({2, 80, 0x11, cubin()}));
  for (std::size_t size = 8; size < file.size(); ++size) {
    const FatbinFacts facts = walk(file.substr(0, size));
    EXPECT_THAT(facts.unknown, ElementsAre(HasSubstr("cut off"))) << size;
    EXPECT_TRUE(facts.entries.empty());
  }
}

TEST(Fatbin, OnlyTheSectionCounts) {
  const std::string one = container(entry({2, 80, 0x11, cubin()}));
  const std::string file = one + container(entry({2, 90, 0x11, cubin()})) + one;
  const FatbinFacts facts = walk(file, one.size(), one.size());
  EXPECT_EQ(facts.containers, 1u);
  EXPECT_EQ(facts.containers_elsewhere, 2u);
  EXPECT_THAT(lines(facts), ElementsAre("1 sm_90 13.0"));
  EXPECT_EQ(facts.entries[0].offset, one.size() + 16);
  EXPECT_THAT(facts.unknown, IsEmpty());
}

TEST(Fatbin, ASectionWithoutContainersIsNotAbsentDeviceCode) {
  const FatbinFacts facts = walk(std::string(256, '\0'), 64, 128);
  EXPECT_EQ(facts.containers, 0u);
  EXPECT_THAT(facts.unknown, ElementsAre(HasSubstr("no container")));
  EXPECT_TRUE(facts.any());
}

TEST(Fatbin, SectionsForTheDeviceLinkerCountToo) {
  EXPECT_TRUE(is_fatbin_section(".nv_fatbin"));
  EXPECT_TRUE(is_fatbin_section("__nv_relfatbin"));
  EXPECT_FALSE(is_fatbin_section(".nvFatBinSegment"));
  const std::string one = container(entry({2, 80, 0x11, cubin()}));
  FatbinCollector collector("");
  collector.consume(as_bytes(one + one));
  const FatbinExtent sections[] = {{0, one.size()}, {one.size(), one.size()}};
  EXPECT_EQ(collector.finish(sections).containers, 2u);
}

TEST(Fatbin, InsideAContainerOtherScannersMayRest) {
  const std::string file = std::string(8, 'x') + container(entry({2, 80, 0x11, cubin()}));
  FatbinCollector collector("");
  collector.consume(as_bytes(file.substr(0, 8)));
  EXPECT_FALSE(collector.inside_container());
  collector.consume(as_bytes(file.substr(8, 120)));
  EXPECT_TRUE(collector.inside_container());
  collector.consume(as_bytes(file.substr(128)));
  EXPECT_FALSE(collector.inside_container());
}

TEST(Fatbin, MoreKindsThanAreListedAreReported) {
  std::string entries;
  for (std::uint32_t arch = 0; arch < 5000; ++arch) entries += entry({1, arch, 0x8011, "zstd...."});
  const FatbinFacts facts = walk(container(entries));
  EXPECT_EQ(facts.entries.size(), 4096u);
  EXPECT_THAT(facts.unknown, ElementsAre(HasSubstr("more device code")));
}

// Written by nvcc: see testdata/README.md.
TEST(Fatbin, RealOnesReadAsCuobjdumpListsThem) {
  std::ifstream in(FATBIN_TESTDATA "/variants.fatbin", std::ios::binary);
  const std::string file{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  ASSERT_FALSE(file.empty());
  for (const std::size_t chunk : {std::size_t{5}, file.size()}) {
    const FatbinFacts facts = walk(file, 0, 0, chunk);
    EXPECT_EQ(facts.containers, 1u);
    EXPECT_THAT(lines(facts), ::testing::UnorderedElementsAre("1 sm_80 13.0", "1 sm_90a 13.0",
                                                              "1 compute_90a compressed",
                                                              "1 compute_100f compressed"));
    EXPECT_THAT(facts.unknown, IsEmpty());
  }
}

TEST(FindMagic, LooksAtWholeAlignedUnitsOnly) {
  std::string data(1000, 'x');
  EXPECT_EQ(fatbin::find_magic(as_bytes(data)), 1000u);
  for (std::size_t at = 0; at + 4 <= data.size(); ++at) {
    std::string with = data;
    with.replace(at, 4, "\x50\xed\x55\xba");
    EXPECT_EQ(fatbin::find_magic(as_bytes(with)), at % 8 == 0 ? at : 1000u) << at;
  }
}

TEST(Toolkit, TheVersionMustBeWhole) {
  using fatbin::toolkit_in;
  EXPECT_EQ(toolkit_in("xx Cuda compilation tools, release 12.6, V12.6.85"), "12.6");
  EXPECT_EQ(toolkit_in("Cuda compilation tools, release 13.0"), std::nullopt);
  EXPECT_EQ(toolkit_in("Cuda compilation tools, release 13, V"), std::nullopt);
  EXPECT_EQ(toolkit_in("Cuda compilation tools, release , Cuda compilation tools, release 9.2,"),
            "9.2");
  EXPECT_EQ(toolkit_in(""), std::nullopt);
}

}  // namespace
}  // namespace wheelcheck
