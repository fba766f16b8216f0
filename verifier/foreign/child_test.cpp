#include "verifier/foreign/child.h"

#include <chrono>
#include <thread>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

#include "verifier/foreign/foreign.h"
#include "verifier/foreign/sample_files.h"
#include "verifier/foreign/wire.h"

namespace wheelcheck {
namespace {

using testing::HasSubstr;

// What becomes of a worker that misbehaves in the way `mode` names (worker_misbehave.cpp).
std::string complaint(const std::string& mode, const ChildLimits& limits = {}) {
  const auto answer = ask_lief_worker("member.so", mode, as_bytes("x"), limits);
  EXPECT_FALSE(answer.ok()) << mode;
  if (answer.ok()) return {};
  EXPECT_EQ(answer.error().where, "member.so");
  return answer.error().what;
}

TEST(LiefWorker, ASleeperIsStoppedByTheClock) {
  ChildLimits limits;
  limits.wall_seconds = 1;
  const auto start = std::chrono::steady_clock::now();
  EXPECT_THAT(complaint("test-sleep", limits), HasSubstr("took longer than 1 seconds"));
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(30));
}

TEST(LiefWorker, ASpinnerIsStoppedByItsProcessorTime) {
  ChildLimits limits;
  limits.cpu_seconds = 1;
  EXPECT_THAT(complaint("test-spin", limits), HasSubstr("more than 1 seconds of processor time"));
}

TEST(LiefWorker, MemoryExhaustionIsSeenEvenWhenBadAllocIsCaught) {
  if (!kMemoryLimitEnforced) GTEST_SKIP() << "no memory limit under this sanitizer";
  ChildLimits limits;
  limits.memory_bytes = 256u << 20;
  limits.memory_per_file_byte = 1u << 20;
  EXPECT_THAT(complaint("test-allocate", limits), HasSubstr("more than its 257 MiB of memory"));
}

TEST(LiefWorker, ACrashIsNamedWithItsSignal) {
  EXPECT_THAT(complaint("test-crash"), HasSubstr("LIEF crashed on this file (signal 11"));
}

TEST(LiefWorker, AnUnknownStatusIsNoAnswer) {
  EXPECT_THAT(complaint("test-exit"), HasSubstr("ended with status 7"));
}

TEST(LiefWorker, AnEndlessAnswerIsCutShort) {
  ChildLimits limits;
  limits.answer_bytes = 1u << 20;
  EXPECT_THAT(complaint("test-flood", limits), HasSubstr("longer than 1048576 bytes"));
}

TEST(LiefWorker, HalfAnAnswerIsNone) {
  EXPECT_THAT(complaint("test-truncate"), HasSubstr("cut off"));
}

TEST(LiefWorker, AnUnknownModeIsAnError) {
  EXPECT_THAT(complaint("no-such-mode"), HasSubstr("could not set itself up"));
}

TEST(LiefWorker, AProgramThatKnowsNothingOfWorkersGivesNoAnswer) {
  ChildLimits limits;
  limits.program = "/bin/true";
  EXPECT_THAT(complaint("elf", limits), HasSubstr("gave no answer"));
  limits.program = "/bin/echo";
  EXPECT_THAT(complaint("elf", limits), HasSubstr("gave no answer"));
}

TEST(LiefWorker, AMissingProgramIsNamed) {
  ChildLimits limits;
  limits.program = "/no/such/program";
  EXPECT_THAT(complaint("elf", limits), HasSubstr("/no/such/program could not be started"));
}

TEST(LiefWorker, ALiefThatRecognisesNothingSaysSo) {
  EXPECT_THAT(complaint("elf"), HasSubstr("does not recognise"));
}

TEST(LiefWorker, ManyThreadsMayAskAtOnce) {
  sample::MachO sample;
  sample.libraries = {"/usr/lib/libSystem.B.dylib"};
  const std::string file = sample::write_mach_o(sample);
  std::vector<std::string> problems(4);
  std::vector<std::thread> threads;
  for (std::string& problem : problems) {
    threads.emplace_back([&problem, &file] {
      for (int i = 0; i < 5 && problem.empty(); ++i) {
        const auto facts = read_foreign("a.dylib", as_bytes(file));
        if (!facts) {
          problem = facts.error().message();
        } else if (facts->images.at(0).libraries.size() != 1) {
          problem = "lost a library";
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(problems, testing::Each(""));
}

TEST(Wire, WhatIsWrittenIsRead) {
  wire::Writer writer;
  writer.number(~0ull);
  writer.text(std::string_view("a\0b", 3));
  writer.texts({"one", "", "three"});
  wire::Reader reader(writer.bytes());
  EXPECT_EQ(reader.number(), ~0ull);
  EXPECT_EQ(reader.text(), std::string_view("a\0b", 3));
  EXPECT_THAT(reader.texts(), testing::ElementsAre("one", "", "three"));
  EXPECT_TRUE(reader.at_end());
}

TEST(Wire, EveryCutIsNoticed) {
  wire::Writer writer;
  writer.number(7);
  writer.texts({"one", "two"});
  const Bytes whole = writer.bytes();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    wire::Reader reader(whole.first(size));
    reader.number();
    reader.texts();
    EXPECT_FALSE(reader.ok()) << size;
  }
}

TEST(Wire, AClaimedLengthCostsNothing) {
  wire::Writer writer;
  writer.number(1ull << 60);
  wire::Reader list(writer.bytes());
  EXPECT_TRUE(list.texts().empty());
  EXPECT_FALSE(list.ok());
  wire::Reader text(writer.bytes());
  EXPECT_EQ(text.text(), "");
  EXPECT_FALSE(text.ok());
}

TEST(Wire, ANumberTooLargeForItsFieldIsRefused) {
  wire::Writer writer;
  writer.number(256);
  wire::Reader reader(writer.bytes());
  EXPECT_EQ(reader.number_as<std::uint8_t>(), 0);
  EXPECT_FALSE(reader.ok());
}

}  // namespace
}  // namespace wheelcheck
