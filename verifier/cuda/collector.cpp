#include "verifier/cuda/collector.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "verifier/cuda/layout.h"
#include "verifier/cuda/scan.h"

namespace wheelcheck {
namespace {

using namespace fatbin;  // NOLINT(google-build-using-namespace): the layout is this file's subject

constexpr std::size_t kUnit = 8;
constexpr std::size_t kMostNotes = 64;           // then only counted
constexpr std::size_t kMostKinds = 4096;         // of entries that differ
constexpr std::size_t kMostEntries = 1'000'000;  // real libraries have thousands

std::string hex(std::uint64_t value) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[value & 15]);
    value >>= 4;
  } while (value != 0);
  return "0x" + text;
}

}  // namespace

bool is_fatbin_section(std::string_view name) {
  return name == ".nv_fatbin" || name == "__nv_relfatbin";
}

class FatbinCollector::Impl {
 public:
  explicit Impl(std::string where) : where_(std::move(where)) {}

  void consume(Bytes chunk) {
    while (!chunk.empty()) {
      switch (state_) {
        case State::scan:
          chunk = scan(chunk);
          break;
        case State::container:
          chunk = gather(chunk, kHeaderSize);
          break;
        case State::entry:
          chunk = gather(chunk, kEntryHeadSize);
          break;
        case State::skip:
          chunk = skip(chunk);
          break;
        case State::payload:
          chunk = payload(chunk);
          break;
      }
    }
  }

  [[nodiscard]] bool inside_container() const {
    return state_ == State::payload || state_ == State::skip || state_ == State::entry;
  }

  FatbinFacts finish(std::span<const FatbinExtent> sections);

 private:
  enum class State {
    scan,       ///< looking for a magic
    container,  ///< gathering a container's header
    entry,      ///< gathering the head of an entry's header
    skip,       ///< in the rest of that header, or in bytes that need not be looked at
    payload     ///< in a payload that may tell its toolkit
  };
  using Key = std::tuple<std::uint16_t, std::uint32_t, char, bool, std::string>;

  struct Note {
    std::uint64_t offset = 0;
    std::string text;
    bool certain = true;  ///< false: the magic may stand there by chance
  };
  struct Container {
    std::uint64_t offset = 0;
    std::uint64_t end = 0;
  };
  struct Occurrence {
    std::uint32_t container = 0;
    std::uint32_t kind = 0;
    std::uint64_t offset = 0;
  };

  Bytes scan(Bytes chunk);
  Bytes gather(Bytes chunk, std::size_t size);
  Bytes skip(Bytes chunk);
  Bytes payload(Bytes chunk);
  void begin_container();
  void begin_entry();
  void next_entry();
  void end_payload();
  void give_up_on(std::uint64_t offset, std::string what, bool certain = true);
  void note(std::uint64_t offset, std::string what, bool certain = true);

  std::string where_;
  State state_ = State::scan;
  std::uint64_t position_ = 0;
  std::vector<std::byte> gathered_;
  std::uint64_t gathered_at_ = 0;

  std::uint64_t skip_until_ = 0;
  std::uint64_t payload_end_ = 0;
  bool payload_first_ = false;
  bool payload_follows_ = false;
  std::string overlap_;
  DeviceCode current_;

  std::vector<Container> containers_;
  std::map<Key, std::uint32_t> kind_of_;
  std::vector<DeviceCode> kinds_;
  std::vector<Occurrence> occurrences_;
  std::vector<Note> notes_;
  std::uint64_t notes_left_ = kMostNotes;
  std::uint64_t doubtful_notes_left_ = kMostNotes;
  std::uint64_t notes_dropped_ = 0;
  bool full_ = false;
};

// Looks at whole units of eight bytes; what remains of a chunk waits in gathered_.
Bytes FatbinCollector::Impl::scan(Bytes chunk) {
  if (!gathered_.empty() || position_ % kUnit != 0) {
    if (gathered_.empty()) {
      // Only after giving up inside a container: go on at the next unit.
      const auto step = std::min<std::size_t>(chunk.size(), kUnit - position_ % kUnit);
      position_ += step;
      return chunk.subspan(step);
    }
    const std::size_t step = std::min(chunk.size(), kUnit - gathered_.size());
    gathered_.insert(gathered_.end(), chunk.begin(),
                     chunk.begin() + static_cast<std::ptrdiff_t>(step));
    position_ += step;
    if (gathered_.size() == kUnit) {
      if (find_magic(gathered_) == 0) {
        state_ = State::container;
      } else {
        gathered_.clear();
      }
    }
    return chunk.subspan(step);
  }
  const std::size_t whole = chunk.size() / kUnit * kUnit;
  const std::size_t found = find_magic(chunk.first(whole));
  position_ += found;
  chunk = chunk.subspan(found);
  gathered_at_ = position_;
  if (found < whole) {
    state_ = State::container;
    return chunk;
  }
  gathered_.assign(chunk.begin(), chunk.end());
  position_ += chunk.size();
  return {};
}

Bytes FatbinCollector::Impl::gather(Bytes chunk, std::size_t size) {
  if (gathered_.empty()) gathered_at_ = position_;
  const std::size_t step = std::min(chunk.size(), size - gathered_.size());
  gathered_.insert(gathered_.end(), chunk.begin(),
                   chunk.begin() + static_cast<std::ptrdiff_t>(step));
  position_ += step;
  if (gathered_.size() == size) state_ == State::container ? begin_container() : begin_entry();
  return chunk.subspan(step);
}

void FatbinCollector::Impl::begin_container() {
  const auto version = read_at<std::uint16_t>(gathered_, 4).value_or(0);
  const auto header = read_at<std::uint16_t>(gathered_, 6).value_or(0);
  const auto size = read_at<std::uint64_t>(gathered_, 8).value_or(0);
  if (version != kVersion || header != kHeaderSize || size == 0 ||
      size > ~std::uint64_t{0} - position_) {
    // Programs that handle fat binaries have the magic in their code. What follows there is no
    // small version and no small header.
    const bool certain = version != 0 && version < 16 && header != 0 && header <= 256;
    return give_up_on(gathered_at_,
                      "a container has version " + std::to_string(version) + ", a header of " +
                          std::to_string(header) + " bytes and " + std::to_string(size) +
                          " bytes of entries",
                      certain);
  }
  containers_.push_back({gathered_at_, position_ + size});
  gathered_.clear();
  next_entry();
}

// At the end of an entry, or of a container's header.
void FatbinCollector::Impl::next_entry() {
  const Container& container = containers_.back();
  if (position_ == container.end) {
    state_ = State::scan;
    gathered_.clear();
    return;
  }
  if (container.end - position_ < kEntryHeadSize) {
    note(position_, "the last " + std::to_string(container.end - position_) +
                        " bytes of the container at " + hex(container.offset) + " are no entry");
    skip_until_ = container.end;
    payload_follows_ = false;
    state_ = State::skip;
    return;
  }
  state_ = State::entry;
}

void FatbinCollector::Impl::begin_entry() {
  const Bytes bytes = gathered_;
  const auto kind = read_at<std::uint16_t>(bytes, 0).value_or(0);
  const auto version = read_at<std::uint16_t>(bytes, 2).value_or(0);
  const auto header = read_at<std::uint32_t>(bytes, kEntryHeaderSizeAt).value_or(0);
  const auto size = read_at<std::uint64_t>(bytes, kEntryPayloadSizeAt).value_or(0);
  const auto flags = read_at<std::uint64_t>(bytes, kEntryFlagsAt).value_or(0);
  const std::uint64_t left = containers_.back().end - gathered_at_;
  if (version != kEntryVersion || header < kEntryHeadSize || header > kEntryHeaderMax ||
      header > left || size > left - header) {
    return give_up_on(gathered_at_, "an entry has version " + hex(version) + ", a header of " +
                                        std::to_string(header) + " bytes and a payload of " +
                                        std::to_string(size) + " where " + std::to_string(left) +
                                        " are left");
  }
  current_ = DeviceCode{};
  current_.raw_kind = kind;
  current_.kind = kind == kKindPtx     ? DeviceCodeKind::ptx
                  : kind == kKindCubin ? DeviceCodeKind::cubin
                                       : DeviceCodeKind::other;
  current_.arch = read_at<std::uint32_t>(bytes, kEntryArchAt).value_or(0);
  if ((flags & kFlagArchSpecific) != 0) current_.variant = 'a';
  if ((flags & kFlagFamilySpecific) != 0) current_.variant = 'f';
  current_.offset = gathered_at_;
  current_.size = size;
  current_.compressed = (flags & (kFlagLz4 | kFlagZstd)) != 0;
  skip_until_ = gathered_at_ + header;
  payload_end_ = skip_until_ + size;
  payload_follows_ = true;
  payload_first_ = true;
  overlap_.clear();
  gathered_.clear();
  state_ = State::skip;
  if (position_ == skip_until_) (void)skip({});
}

Bytes FatbinCollector::Impl::skip(Bytes chunk) {
  const auto step =
      static_cast<std::size_t>(std::min<std::uint64_t>(chunk.size(), skip_until_ - position_));
  position_ += step;
  if (position_ == skip_until_) {
    if (!payload_follows_) {
      state_ = State::scan;
    } else {
      state_ = State::payload;
      if (position_ == payload_end_) end_payload();
    }
  }
  return chunk.subspan(step);
}

Bytes FatbinCollector::Impl::payload(Bytes chunk) {
  const auto step =
      static_cast<std::size_t>(std::min<std::uint64_t>(chunk.size(), payload_end_ - position_));
  if (!current_.compressed && current_.kind != DeviceCodeKind::other && current_.toolkit.empty()) {
    const std::string_view piece = as_text(chunk.first(step));
    // First across the cut between the last piece and this one, then inside this one.
    overlap_.append(piece.substr(0, kToolkitOverlap));
    if (payload_first_ && overlap_.size() >= 4) {
      payload_first_ = false;
      if (current_.kind == DeviceCodeKind::cubin && !overlap_.starts_with("\x7f"
                                                                          "ELF")) {
        note(current_.offset, "a cubin is neither marked as compressed nor an ELF file");
      }
    }
    auto toolkit = toolkit_in(overlap_);
    if (!toolkit) toolkit = toolkit_in(piece);
    if (toolkit) current_.toolkit = *std::move(toolkit);
    if (piece.size() > kToolkitOverlap) {
      overlap_.assign(piece.substr(piece.size() - kToolkitOverlap));
    } else if (overlap_.size() > kToolkitOverlap && !payload_first_) {
      overlap_.erase(0, overlap_.size() - kToolkitOverlap);
    }
  }
  position_ += step;
  if (position_ == payload_end_) end_payload();
  return chunk.subspan(step);
}

void FatbinCollector::Impl::end_payload() {
  Key key{current_.raw_kind, current_.arch, current_.variant, current_.compressed,
          current_.toolkit};
  auto found = kind_of_.find(key);
  if (found == kind_of_.end() && kinds_.size() < kMostKinds) {
    found = kind_of_.emplace(std::move(key), static_cast<std::uint32_t>(kinds_.size())).first;
    kinds_.push_back(current_);
  }
  if (found != kind_of_.end() && occurrences_.size() < kMostEntries) {
    occurrences_.push_back(
        {static_cast<std::uint32_t>(containers_.size() - 1), found->second, current_.offset});
  } else if (!full_) {
    full_ = true;
    note(current_.offset,
         "more device code than is listed follows: " + std::to_string(kMostEntries) +
             " entries or " + std::to_string(kMostKinds) + " kinds were read");
  }
  next_entry();
}

// What was taken for a header is none: note it, and look for a magic in all but its first unit.
void FatbinCollector::Impl::give_up_on(std::uint64_t offset, std::string what, bool certain) {
  note(offset, std::move(what), certain);
  const std::vector<std::byte> again = std::exchange(gathered_, {});
  state_ = State::scan;
  position_ = gathered_at_ + std::min(kUnit, again.size());
  consume(Bytes(again).subspan(std::min(kUnit, again.size())));
}

void FatbinCollector::Impl::note(std::uint64_t offset, std::string what, bool certain) {
  // Doubtful ones must not crowd out the others.
  std::uint64_t& room = certain ? notes_left_ : doubtful_notes_left_;
  if (room == 0) {
    if (certain) ++notes_dropped_;
    return;
  }
  --room;
  notes_.push_back(
      {offset,
       where_ + (where_.empty() ? "" : ": ") + std::move(what) + " (offset " + hex(offset) + ")",
       certain});
}

FatbinFacts FatbinCollector::Impl::finish(std::span<const FatbinExtent> sections) {
  const auto section_of = [&](std::uint64_t offset) {
    return std::find_if(sections.begin(), sections.end(), [offset](const FatbinExtent& s) {
      return offset >= s.offset && offset - s.offset < s.size;
    });
  };
  if (inside_container()) {
    note(containers_.back().offset, "a container is cut off by the end of the file");
  } else if (state_ == State::container) {
    note(gathered_at_, "a container's header is cut off by the end of the file");
  }

  FatbinFacts facts;
  std::vector<bool> counts_here(containers_.size(), true);
  std::vector<std::uint32_t> per_section(sections.size(), 0);
  for (std::size_t i = 0; i < containers_.size(); ++i) {
    const auto section = section_of(containers_[i].offset);
    if (section != sections.end()) {
      ++per_section[static_cast<std::size_t>(section - sections.begin())];
      if (containers_[i].end > section->offset + section->size) {
        note(containers_[i].offset, "a container runs past its section");
      }
    } else if (!sections.empty()) {
      counts_here[i] = false;
      ++facts.containers_elsewhere;
      continue;
    }
    ++facts.containers;
  }
  constexpr std::uint32_t kUnlisted = ~std::uint32_t{0};
  std::vector<std::uint32_t> listed(kinds_.size(), kUnlisted);
  for (const Occurrence& occurrence : occurrences_) {
    if (!counts_here[occurrence.container]) continue;
    std::uint32_t& place = listed[occurrence.kind];
    if (place == kUnlisted) {
      place = static_cast<std::uint32_t>(facts.entries.size());
      facts.entries.push_back(kinds_[occurrence.kind]);
      facts.entries.back().offset = occurrence.offset;
      facts.counts.push_back(0);
    }
    ++facts.counts[place];
  }
  // A magic that code or data contains by chance is no layout to worry about, unless it lies
  // where device code belongs.
  for (Note& one : notes_) {
    if (sections.empty() ? one.certain : section_of(one.offset) != sections.end()) {
      facts.unknown.push_back(std::move(one.text));
    }
  }
  if (notes_dropped_ != 0) {
    facts.unknown.push_back("and " + std::to_string(notes_dropped_) + " more");
  }
  for (std::size_t i = 0; i < sections.size(); ++i) {
    if (per_section[i] == 0) {
      facts.unknown.push_back("the section of device code at " + hex(sections[i].offset) + " (" +
                              std::to_string(sections[i].size) +
                              " bytes) has no container that could be read");
    }
  }
  return facts;
}

FatbinCollector::FatbinCollector(std::string where)
    : impl_(std::make_unique<Impl>(std::move(where))) {}
FatbinCollector::~FatbinCollector() = default;
FatbinCollector::FatbinCollector(FatbinCollector&&) noexcept = default;
FatbinCollector& FatbinCollector::operator=(FatbinCollector&&) noexcept = default;

void FatbinCollector::consume(Bytes chunk) { impl_->consume(chunk); }
bool FatbinCollector::inside_container() const { return impl_->inside_container(); }

FatbinFacts FatbinCollector::finish(std::uint64_t section_offset, std::uint64_t section_size) {
  const FatbinExtent section{section_offset, section_size};
  return impl_->finish(std::span(&section, section_size == 0 ? 0u : 1u));
}
FatbinFacts FatbinCollector::finish(std::span<const FatbinExtent> sections) {
  return impl_->finish(sections);
}

}  // namespace wheelcheck
