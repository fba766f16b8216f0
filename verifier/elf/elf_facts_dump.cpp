// elf_facts_dump [--local-symbols] FILE: prints the facts of an ELF file, read as a stream in the
// way in which wheel members are read. For comparison with other readers.
#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

#include "verifier/elf/collector.h"
#include "verifier/elf/dump.h"

namespace {

constexpr int kUsage = 2;
constexpr int kUnreadable = 3;

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

int unreadable(const std::string& message) {
  std::fprintf(stderr, "elf_facts_dump: %s\n", message.c_str());
  return kUnreadable;
}

}  // namespace

int main(int argc, char** argv) {
  bool local_symbols = false;
  std::string path;
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--local-symbols") {
      local_symbols = true;
    } else {
      path = argv[i];
    }
  }
  if (path.empty()) {
    std::fprintf(stderr, "usage: elf_facts_dump [--local-symbols] FILE\n");
    return kUsage;
  }
  const std::unique_ptr<std::FILE, Close> file(std::fopen(path.c_str(), "rb"));
  if (!file || std::fseek(file.get(), 0, SEEK_END) != 0) return unreadable(path + ": cannot open");
  const long size = std::ftell(file.get());
  if (size < 0) return unreadable(path + ": has no length");

  wheelcheck::ElfCollector collector(path, static_cast<std::uint64_t>(size), {}, local_symbols);
  int passes = 0;
  do {
    ++passes;
    std::rewind(file.get());
    static std::array<std::byte, std::size_t{256} * 1024> buffer;
    while (const std::size_t count = std::fread(buffer.data(), 1, buffer.size(), file.get())) {
      collector.consume(wheelcheck::Bytes(buffer.data(), count));
    }
  } while (collector.end_pass() == wheelcheck::ElfCollector::Next::again);
  const auto facts = collector.take();
  if (!facts) return unreadable(facts.error().message());
  const std::string text = wheelcheck::dump(*facts);
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fprintf(stderr, "passes %d\n", passes);
  return 0;
}
