#include "verifier/elf/collector.h"

#include <utility>

#include "verifier/elf/image.h"
#include "verifier/elf/reader.h"

namespace wheelcheck {

class ElfCollector::Impl {
 public:
  Impl(std::string where, std::uint64_t size, const ElfBudget& budget, bool want_local_symbols)
      : image_(size), reader_(std::move(where), image_, budget, want_local_symbols) {
    step_ = reader_.advance();
  }

  void consume(Bytes chunk) {
    seen_ += chunk.size();
    while (!chunk.empty() && step_ == Step::waiting) {
      bool completed = false;
      chunk = chunk.subspan(image_.feed(chunk, completed));
      if (completed) step_ = reader_.advance();
    }
  }

  Next end_pass() {
    if (step_ == Step::failed) return Next::done;
    if (seen_ != image_.size()) {
      step_ = reader_.fail("", "has " + std::to_string(seen_) + " bytes where " +
                                   std::to_string(image_.size()) + " were announced");
      return Next::done;
    }
    if (step_ == Step::done) return Next::done;
    if (++passes_ == kPasses) {
      step_ = reader_.fail("", "its tables refer back and forth over the file so often that " +
                                   std::to_string(kPasses) + " passes do not read them");
      return Next::done;
    }
    seen_ = 0;
    image_.rewind();
    return Next::again;
  }

  Result<ElfFacts> take() {
    if (step_ == Step::waiting) reader_.fail("", "was not fed to its end");
    return reader_.take();
  }

 private:
  using Step = elf::ElfReader::Step;
  static constexpr int kPasses = 4;

  ElfImage image_;
  elf::ElfReader reader_;
  Step step_ = Step::waiting;
  std::uint64_t seen_ = 0;
  int passes_ = 0;
};

ElfCollector::ElfCollector(std::string where, std::uint64_t size, ElfBudget budget,
                           bool want_local_symbols)
    : impl_(std::make_unique<Impl>(std::move(where), size, budget, want_local_symbols)) {}
ElfCollector::~ElfCollector() = default;
ElfCollector::ElfCollector(ElfCollector&&) noexcept = default;
ElfCollector& ElfCollector::operator=(ElfCollector&&) noexcept = default;

void ElfCollector::consume(Bytes chunk) { impl_->consume(chunk); }
ElfCollector::Next ElfCollector::end_pass() { return impl_->end_pass(); }
Result<ElfFacts> ElfCollector::take() { return impl_->take(); }

Result<ElfFacts> read_elf(std::string where, Bytes file, const ElfBudget& budget,
                          bool want_local_symbols) {
  ElfImage image(file);
  elf::ElfReader reader(std::move(where), image, budget, want_local_symbols);
  if (reader.advance() == elf::ElfReader::Step::waiting) {
    reader.fail("", "the reader waits for bytes of a file that is all there");
  }
  return reader.take();
}

}  // namespace wheelcheck
