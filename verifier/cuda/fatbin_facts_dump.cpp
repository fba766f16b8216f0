// fatbin_facts_dump FILE: prints the device code of a file. For comparison with cuobjdump.
#include <array>
#include <chrono>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "verifier/cuda/collector.h"
#include "verifier/cuda/dump.h"
#include "verifier/elf/collector.h"

namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: fatbin_facts_dump FILE\n");
    return 2;
  }
  const std::unique_ptr<std::FILE, Close> file(std::fopen(argv[1], "rb"));
  if (!file || std::fseek(file.get(), 0, SEEK_END) != 0) {
    std::fprintf(stderr, "fatbin_facts_dump: %s: cannot open\n", argv[1]);
    return 3;
  }
  const auto size = static_cast<std::uint64_t>(std::ftell(file.get()));
  wheelcheck::FatbinCollector fatbin(argv[1]);
  wheelcheck::ElfCollector elf(argv[1], size, {}, false);
  std::chrono::duration<double> spent{};
  bool first = true;
  do {
    std::rewind(file.get());
    static std::array<std::byte, std::size_t{256} * 1024> buffer;
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
      elf.consume(wheelcheck::Bytes(buffer.data(), count));
      if (!first) continue;
      const auto start = std::chrono::steady_clock::now();
      fatbin.consume(wheelcheck::Bytes(buffer.data(), count));
      spent += std::chrono::steady_clock::now() - start;
    }
    first = false;
  } while (elf.end_pass() == wheelcheck::ElfCollector::Next::again);

  std::vector<wheelcheck::FatbinExtent> sections;
  if (const auto facts = elf.take()) {
    for (const auto& section : facts->sections) {
      if (wheelcheck::is_fatbin_section(section.name)) {
        sections.push_back({section.offset, section.size});
      }
    }
  }
  const std::string text = wheelcheck::dump(fatbin.finish(sections));
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fprintf(stderr, "%.2f GB/s\n", static_cast<double>(size) / 1e9 / spent.count());
  return 0;
}
