// What reads Mach-O and PE in our own process: recognition and outlines; and what reads the answer
// of a worker that a hostile file may have taken over.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "verifier/foreign/outline.h"
#include "verifier/foreign/recognise.h"
#include "verifier/foreign/second_opinion.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wheelcheck;
  const Bytes file = std::as_bytes(std::span(data, size));
  static_cast<void>(recognise_foreign(file));
  const auto slices = outline_mach_o("fuzz", file);
  if (slices) {
    // What is promised to read_foreign(), which takes these parts of the file unasked.
    for (const MachOSlice& one : *slices) {
      if (!slice(file, one.offset, one.size)) std::abort();
    }
  }
  static_cast<void>(outline_pe("fuzz", file));
  static_cast<void>(decode_lief_elf(file));
  return 0;
}
