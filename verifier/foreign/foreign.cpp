#include "verifier/foreign/foreign.h"

#include <optional>
#include <utility>

#include "verifier/foreign/outline.h"
#include "verifier/foreign/recognise.h"
#include "verifier/foreign/wire.h"

namespace wheelcheck {

namespace {

// LIEF drops what it cannot make sense of without a word. What the outline counted must be there.
class Tally {
 public:
  explicit Tally(std::string where) : where_(std::move(where)) {}
  void expect(const char* what, std::uint64_t in_file, std::uint64_t from_lief) {
    if (error_ || in_file == from_lief) return;
    error_ = Error{where_,
                   "LIEF reports " + std::to_string(from_lief) + " " + what + " of the " +
                       std::to_string(in_file) + " in the file",
                   std::nullopt};
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  std::string where_;
  std::optional<Error> error_;
};

Error garbled(const std::string& where) {
  return Error{where, "the LIEF worker's answer makes no sense", std::nullopt};
}

Result<ForeignImage> read_slice(const std::string& where, Bytes file, const MachOSlice& slice,
                                const ChildLimits& limits) {
  ForeignImage image;
  image.format = "Mach-O";
  image.machine = slice.machine;
  image.kind = slice.kind;
  if (slice.kind == ForeignKind::archive) return image;

  const Bytes bytes =
      file.subspan(static_cast<std::size_t>(slice.offset), static_cast<std::size_t>(slice.size));
  auto answer = ask_lief_worker(where, "mach-o", bytes, limits);
  if (!answer) return std::move(answer).error();
  wire::Reader reader(*answer);
  const std::uint64_t commands = reader.number();
  const bool has_identity = reader.flag();
  image.identity = reader.text();
  image.libraries = reader.texts();
  image.weak_libraries = reader.texts();
  image.rpaths = reader.texts();
  image.platform = reader.text();
  image.minimum_os = reader.text();
  if (!reader.at_end()) return garbled(where);

  Tally tally(where + " (" + slice.machine + ")");
  tally.expect("load commands", slice.commands, commands);
  tally.expect("library load commands", slice.libraries, image.libraries.size());
  tally.expect("LC_RPATH commands", slice.rpaths, image.rpaths.size());
  tally.expect("LC_ID_DYLIB commands", slice.has_identity ? 1 : 0, has_identity ? 1 : 0);
  if (tally.error()) return *tally.error();
  return image;
}

Result<ForeignFacts> read_mach_o(const std::string& where, Bytes file, const ChildLimits& limits) {
  auto slices = outline_mach_o(where, file);
  if (!slices) return std::move(slices).error();
  ForeignFacts facts;
  for (const MachOSlice& slice : *slices) {
    auto image = read_slice(where, file, slice, limits);
    if (!image) return std::move(image).error();
    facts.images.push_back(*std::move(image));
  }
  return facts;
}

Result<ForeignFacts> read_pe(const std::string& where, Bytes file, const ChildLimits& limits) {
  auto outline = outline_pe(where, file);
  if (!outline) return std::move(outline).error();
  auto answer = ask_lief_worker(where, "pe", file, limits);
  if (!answer) return std::move(answer).error();

  ForeignImage image;
  image.format = "PE";
  image.machine = outline->machine;
  image.kind = outline->kind;
  wire::Reader reader(*answer);
  image.identity = reader.text();
  image.libraries = reader.texts();
  image.delay_libraries = reader.texts();
  image.debug_files = reader.texts();
  if (!reader.at_end()) return garbled(where);

  Tally tally(where);
  tally.expect("imported DLLs", outline->imports, image.libraries.size());
  tally.expect("delay-loaded DLLs", outline->delay_imports, image.delay_libraries.size());
  if (tally.error()) return *tally.error();
  ForeignFacts facts;
  facts.images.push_back(std::move(image));
  return facts;
}

}  // namespace

Result<ForeignFacts> read_foreign(const std::string& where, Bytes file, const ChildLimits& limits) {
  switch (recognise_foreign(file)) {
    case ForeignFormat::mach_o:
    case ForeignFormat::mach_o_universal:
      return read_mach_o(where, file, limits);
    case ForeignFormat::pe:
      return read_pe(where, file, limits);
    default:
      return Error{where, "neither a Mach-O nor a PE file", 0};
  }
}

}  // namespace wheelcheck
