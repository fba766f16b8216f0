#include "verifier/scan/member_scanner.h"

#include <algorithm>
#include <string>
#include <utility>

#include "verifier/foreign/cross_check.h"
#include "verifier/foreign/foreign.h"
#include "verifier/scan/kind.h"

namespace wheelcheck {

namespace {

bool is_text(ContentKind kind) { return kind == ContentKind::text || kind == ContentKind::script; }

bool is_foreign(ContentKind kind) { return kind == ContentKind::mach_o || kind == ContentKind::pe; }

std::string over_limit(std::uint64_t size, std::uint64_t limit) {
  return "its " + std::to_string(size) + " bytes are more than the limit of " +
         std::to_string(limit);
}

}  // namespace

MemberScanner::MemberScanner(MemberFacts& facts, const ScanOptions& options, bool keep_text,
                             const LibraryNames* siblings)
    : facts_(facts), options_(options), keep_text_(keep_text), siblings_(siblings) {
  facts_.kind = facts_.entry.is_directory() ? ContentKind::directory : ContentKind::text;
}

void MemberScanner::begin(Bytes head) {
  begun_ = true;
  const Member& entry = facts_.entry;
  facts_.kind = classify(head);
  if (facts_.kind == ContentKind::elf) {
    elf_.emplace(entry.path, entry.size, options_.elf_budget, options_.want_local_symbols);
    if (options_.cross_check && entry.size <= options_.cross_check_limit) buffering_ = true;
  } else if (is_foreign(facts_.kind)) {
    buffering_ = entry.size <= options_.foreign_limit;
  }
  if (buffering_) whole_.reserve(static_cast<std::size_t>(entry.size));
  if (!is_text(facts_.kind)) device_code_.emplace(entry.path);
  const bool elf = facts_.kind == ContentKind::elf;
  if (elf && siblings_ != nullptr && !siblings_->empty()) names_.emplace(*siblings_);
  if (options_.scan_build_paths && (is_text(facts_.kind) || elf)) {
    paths_.emplace(is_text(facts_.kind), entry.size);
  }
  if (paths_ || names_) {
    path_ranges_ = elf ? read_only_ranges(head) : std::vector<ByteRange>{{0, entry.size}};
  }
  // A symbolic link's data is its target.
  const bool is_link = entry.is_symlink();
  keep_text_ = (keep_text_ || is_link) && entry.size <= options_.text_limit;
  facts_.text_kept = keep_text_ && !is_link;
}

void MemberScanner::consume(Bytes chunk) {
  if (!begun_) begin(chunk);
  if (elf_) elf_->consume(chunk);
  bool in_device_code = false;
  if (device_code_) {
    in_device_code = device_code_->inside_container();
    device_code_->consume(chunk);
    in_device_code = in_device_code && device_code_->inside_container();
  }
  if (paths_ || names_) scan_read_only(chunk, in_device_code);
  if (buffering_) whole_.insert(whole_.end(), chunk.begin(), chunk.end());
  if (keep_text_) facts_.text += as_text(chunk);
  position_ += chunk.size();
}

/// Hands on the parts of `chunk` that lie in read-only data, and skips the rest.
void MemberScanner::scan_read_only(Bytes chunk, bool in_device_code) {
  const auto skip = [&](std::uint64_t size) {
    if (paths_) paths_->skip(size);
    if (names_ && size != 0) names_->skip();
  };
  std::uint64_t at = position_;
  const std::uint64_t end = position_ + chunk.size();
  while (at < end && !in_device_code) {
    while (next_range_ < path_ranges_.size() && path_ranges_[next_range_].end <= at) ++next_range_;
    if (next_range_ == path_ranges_.size() || path_ranges_[next_range_].begin >= end) break;
    const ByteRange& range = path_ranges_[next_range_];
    if (range.begin > at) {
      skip(range.begin - at);
      at = range.begin;
    }
    const std::uint64_t until = std::min(end, range.end);
    const Bytes part = chunk.subspan(static_cast<std::size_t>(at - position_),
                                     static_cast<std::size_t>(until - at));
    if (paths_) paths_->consume(part);
    if (names_) names_->consume(part);
    at = until;
  }
  skip(end - at);
}

bool MemberScanner::end_pass() { return elf_ && elf_->end_pass() == ElfCollector::Next::again; }

void MemberScanner::consume_again(Bytes chunk) { elf_->consume(chunk); }

void MemberScanner::finish() {
  if (elf_) finish_elf();
  if (is_foreign(facts_.kind)) finish_foreign();
  if (device_code_) finish_device_code();
  if (paths_) facts_.build_paths = paths_->finish();
  if (names_) facts_.sibling_names = names_->finish();
  if (facts_.entry.is_symlink()) facts_.symlink_target = std::exchange(facts_.text, {});
  if (facts_.entry.size == 0 && keep_text_) facts_.text_kept = true;
}

void MemberScanner::finish_elf() {
  Result<ElfFacts> elf = elf_->take();
  if (!elf) {
    facts_.unread = std::move(elf).error();
  } else {
    facts_.elf = std::make_unique<ElfFacts>(*std::move(elf));
  }
  if (options_.cross_check) cross_check_elf();
}

void MemberScanner::cross_check_elf() {
  if (!facts_.elf) {
    facts_.cross_check_skipped = "our own reader gave no facts to compare";
  } else if (!buffering_) {
    facts_.cross_check_skipped = over_limit(facts_.entry.size, options_.cross_check_limit);
  } else {
    CrossCheck result = cross_check(facts_.entry.path, *facts_.elf, whole_);
    facts_.cross_check_skipped = std::move(result.skipped);
    for (const Disagreement& one : result.disagreements) {
      facts_.cross_check.push_back(one.field + ": read as " + one.ours + ", LIEF says " + one.lief);
    }
    if (result.differing > result.disagreements.size()) {
      facts_.cross_check.push_back(
          "and " + std::to_string(result.differing - result.disagreements.size()) + " more facts");
    }
  }
}

void MemberScanner::finish_foreign() {
  if (!buffering_) {
    facts_.unread = Error{
        facts_.entry.path,
        over_limit(facts_.entry.size, options_.foreign_limit) + " for reading Mach-O and PE files",
        {}};
    return;
  }
  Result<ForeignFacts> foreign = read_foreign(facts_.entry.path, whole_);
  if (!foreign) {
    facts_.unread = std::move(foreign).error();
  } else {
    facts_.foreign = std::make_unique<ForeignFacts>(*std::move(foreign));
  }
}

void MemberScanner::finish_device_code() {
  std::vector<FatbinExtent> extents;
  if (facts_.elf) {
    for (const ElfSection& section : facts_.elf->sections) {
      if (is_fatbin_section(section.name)) extents.push_back({section.offset, section.size});
    }
  }
  FatbinFacts found = device_code_->finish(extents);
  if (found.any()) facts_.fatbin = std::make_unique<FatbinFacts>(std::move(found));
}

void MemberScanner::discard(Error why) {
  facts_.unread = std::move(why);
  facts_.elf.reset();
  facts_.fatbin.reset();
  facts_.foreign.reset();
  facts_.text.clear();
  facts_.text_kept = false;
  facts_.build_paths = {};
  facts_.sibling_names.clear();
}

}  // namespace wheelcheck
