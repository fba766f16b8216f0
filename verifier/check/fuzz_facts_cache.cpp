// Feeds the reader of cached facts, behind its digest, which no fuzzer would get right.

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <span>

#include "verifier/check/facts_format.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wheelcheck;  // NOLINT(google-build-using-namespace): this file is all about it
  const Bytes bytes = std::as_bytes(std::span(data, size));
  const auto facts = decode_facts(bytes, "demo-1.0-cp312-cp312-manylinux_2_28_x86_64.whl");
  if (!facts) return 0;
  for (const MemberFacts& member : facts->members) {
    if (!member.elf) continue;
    for (const ElfSymbol& symbol : member.elf->dynamic_symbols) {
      (void)member.elf->name(symbol);
      (void)member.elf->version_of(symbol);
    }
  }
  // What was read is written the same way, and read back.
  if (!decode_facts(as_bytes(encode_facts(*facts)), facts->path)) std::abort();
  return 0;
}
