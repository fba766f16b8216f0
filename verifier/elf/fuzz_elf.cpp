// Reads the input as an ELF file in memory and as a stream with small windows, and walks it for
// fat binaries. Both ways of reading must agree.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "verifier/cuda/collector.h"
#include "verifier/cuda/dump.h"
#include "verifier/elf/collector.h"
#include "verifier/elf/dump.h"

namespace {

using namespace wheelcheck;  // NOLINT(google-build-using-namespace): a program of one file

ElfBudget small_budget(std::uint64_t head, std::uint64_t tail) {
  ElfBudget budget;
  budget.head_bytes = head;
  budget.tail_bytes = tail;
  return budget;
}

template <class Feed>
void in_chunks(Bytes file, std::size_t chunk, const Feed& feed) {
  for (std::size_t at = 0; at < file.size(); at += chunk) {
    feed(file.subspan(at, std::min(chunk, file.size() - at)));
  }
}

std::string text_of(const Result<ElfFacts>& facts) { return facts.ok() ? dump(*facts) : "unread"; }

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const Bytes file = std::as_bytes(std::span(data, size));
  const std::size_t chunk = 1 + (size == 0 ? 0 : data[size - 1]);

  const auto whole = read_elf("input", file);
  ElfCollector collector("input", size, small_budget(256, 128), true);
  do {
    in_chunks(file, chunk, [&](Bytes bytes) { collector.consume(bytes); });
  } while (collector.end_pass() == ElfCollector::Next::again);
  // A stream may give up where a file in memory is read: its tables may be scattered too far.
  const auto streamed = collector.take();
  if (streamed.ok() && text_of(streamed) != text_of(whole)) std::abort();

  FatbinCollector at_once("input");
  at_once.consume(file);
  FatbinCollector piecewise("input");
  in_chunks(file, chunk, [&](Bytes bytes) { piecewise.consume(bytes); });
  if (dump(at_once.finish(0, 0)) != dump(piecewise.finish(0, 0))) std::abort();
  return 0;
}
