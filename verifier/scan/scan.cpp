#include "verifier/scan/scan.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "verifier/archive/libzip_view.h"
#include "verifier/archive/member_reader.h"
#include "verifier/scan/dist_info.h"
#include "verifier/scan/kind.h"
#include "verifier/scan/member_scanner.h"
#include "verifier/scan/sibling_names.h"
#include "verifier/scan/work_queue.h"

namespace wheelcheck {

namespace {

constexpr std::uint64_t kProgressStep = 4 << 20;
/// Members this large are a piece of work of their own.
constexpr std::uint64_t kLargeMember = 256 << 10;
/// What a member costs however small it is, in bytes of a large one.
constexpr std::uint64_t kCostOfOne = 4 << 10;

bool is_sha256(std::string_view algorithm) {
  static constexpr std::string_view kName = "sha256";
  return std::equal(algorithm.begin(), algorithm.end(), kName.begin(), kName.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

class WheelScan {
 public:
  WheelScan(const FileSource& source, const ScanOptions& options)
      : source_(source), options_(options) {}

  Result<WheelFacts> run();

 private:
  /// What reading one member came to, besides its facts.
  struct Outcome {
    std::optional<ArchiveProblem> problem;
    std::uint64_t second_pass_bytes = 0;
    bool second_pass = false;
  };

  /// Members that one thread reads one after the other: indices into an order.
  struct Batch {
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  void prepare_members();
  void limit_total();
  [[nodiscard]] std::optional<std::size_t> find_record() const;
  void read_record(MemberReader& reader, std::size_t index);
  void index_paths();
  [[nodiscard]] std::vector<std::size_t> order_of_work(std::optional<std::size_t> record) const;
  [[nodiscard]] std::vector<Batch> batches_of(const std::vector<std::size_t>& order) const;
  void ask_libzip();
  void read_members();
  void read_member(MemberReader& reader, std::size_t index);
  void add_progress(std::uint64_t bytes);
  void keep_wanted_hashes();
  void collect();
  /// Bytes to be gone through.
  [[nodiscard]] std::uint64_t cost(std::size_t i) const {
    const Member& member = wheel_.archive.members[i];
    return member.unreadable.empty() ? member.size + member.compressed_size : 0;
  }

  const FileSource& source_;
  const ScanOptions& options_;
  WheelFacts wheel_;
  std::vector<Outcome> outcomes_;
  LibraryNames siblings_;  ///< libraries of the wheel
  std::vector<ArchiveProblem> libzip_problems_;
  std::uint64_t total_ = 0;
  std::atomic<std::uint64_t> progress_{0};
};

void WheelScan::prepare_members() {
  wheel_.members.resize(wheel_.archive.members.size());
  for (const Member& member : wheel_.archive.members) {
    const std::string& path = member.path;
    if (is_library_name(path)) siblings_.insert(path.substr(path.rfind('/') + 1));
  }
  outcomes_.resize(wheel_.members.size());
}

void WheelScan::index_paths() {
  wheel_.by_path.reserve(wheel_.archive.members.size());
  for (std::size_t i = 0; i < wheel_.archive.members.size(); ++i) {
    wheel_.by_path.try_emplace(wheel_.archive.members[i].path, i);
  }
}

/// Nothing inflates to more than it states, so the limit can be applied to what is stated; by
/// directory order, not by who comes first.
void WheelScan::limit_total() {
  for (Member& member : wheel_.archive.members) {
    if (!member.unreadable.empty()) continue;
    if (member.size > options_.inflate_limit - total_) {
      member.unreadable = "the members before it come close to the limit of " +
                          std::to_string(options_.inflate_limit) + " bytes in all";
    } else {
      total_ += member.size;
    }
  }
}

/// The first member of that name, as in `by_path`.
std::optional<std::size_t> WheelScan::find_record() const {
  if (wheel_.dist_info.empty()) return std::nullopt;
  const std::string path = wheel_.dist_info + "/RECORD";
  const auto& members = wheel_.archive.members;
  const auto found = std::find_if(members.begin(), members.end(),
                                  [&](const Member& member) { return member.path == path; });
  if (found == members.end()) return std::nullopt;
  return static_cast<std::size_t>(found - members.begin());
}

void WheelScan::read_record(MemberReader& reader, std::size_t index) {
  read_member(reader, index);
  const MemberFacts& member = wheel_.members[index];
  if (!member.unread && member.text_kept) wheel_.record = parse_record(member.text);
}

void WheelScan::ask_libzip() {
  libzip_problems_ =
      compare_with_libzip(source_, wheel_.archive, options_.archive_budget.problems_of_a_kind);
}

/// Members that take longest first, so that no thread is left alone with one at the end; small ones
/// as they lie in the archive, so that one read of the file serves several.
std::vector<std::size_t> WheelScan::order_of_work(std::optional<std::size_t> record) const {
  std::vector<std::size_t> order(wheel_.members.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (record) order.erase(order.begin() + static_cast<std::ptrdiff_t>(*record));
  const auto& members = wheel_.archive.members;
  const auto large = std::stable_partition(order.begin(), order.end(),
                                           [&](std::size_t i) { return cost(i) >= kLargeMember; });
  std::stable_sort(order.begin(), large,
                   [&](std::size_t a, std::size_t b) { return cost(a) > cost(b); });
  std::stable_sort(large, order.end(), [&](std::size_t a, std::size_t b) {
    return members[a].header_offset < members[b].header_offset;
  });
  return order;
}

std::vector<WheelScan::Batch> WheelScan::batches_of(const std::vector<std::size_t>& order) const {
  std::vector<Batch> batches;
  std::uint64_t left = 0;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const std::uint64_t more = cost(order[i]) + kCostOfOne;
    if (more > left) {
      batches.push_back({i, i});
      left = kLargeMember;
    }
    batches.back().end = i + 1;
    left -= std::min(left, more);
  }
  return batches;
}

void WheelScan::read_members() {
  const std::optional<std::size_t> record = find_record();
  const std::vector<std::size_t> order = order_of_work(record);
  const std::vector<Batch> batches = batches_of(order);
  // For a second opinion libzip reads the members too, if it sees the same ones. Otherwise what it
  // sees is one more piece of work.
  if (options_.cross_check) {
    ask_libzip();
    wheel_.archive.libzip_agrees = libzip_problems_.empty();
  }
  const std::function<void(MemberReader&)> others[] = {
      [&](MemberReader& reader) {
        if (record) read_record(reader, *record);
      },
      [&](MemberReader&) { index_paths(); },
      [&](MemberReader&) {
        if (!options_.cross_check) ask_libzip();
      },
  };
  run_in_parallel(std::size(others) + batches.size(), options_.threads, [&]() {
    return [&, reader = std::make_shared<MemberReader>(source_, wheel_.archive)](std::size_t i) {
      if (i < std::size(others)) {
        others[i](*reader);
        return;
      }
      const Batch& batch = batches[i - std::size(others)];
      for (std::size_t at = batch.begin; at < batch.end; ++at) read_member(*reader, order[at]);
    };
  });
}

void WheelScan::read_member(MemberReader& reader, std::size_t index) {
  MemberFacts& facts = wheel_.members[index];
  facts.entry = wheel_.archive.members[index];  // here, where several threads copy
  Outcome& outcome = outcomes_[index];
  MemberScanner scanner(facts, options_,
                        keeps_text(facts.entry.path, wheel_.dist_info, options_.keep_headers),
                        &siblings_);
  std::uint64_t unreported = 0;
  // RECORD, which says whose hash is wanted, is read at the same time. It wants nearly all.
  MemberContent content = reader.read(index, true, [&](Bytes chunk) {
    scanner.consume(chunk);
    unreported += chunk.size();
    if (unreported >= kProgressStep) add_progress(std::exchange(unreported, 0));
  });
  add_progress(unreported);
  facts.inflated_size = content.size;
  facts.inflated_whole = !content.error;
  facts.crc32 = content.crc32;
  facts.sha256 = std::move(content.sha256);
  while (!content.error && scanner.end_pass()) {
    outcome.second_pass = true;
    MemberContent again =
        reader.read(index, false, [&](Bytes chunk) { scanner.consume_again(chunk); });
    outcome.second_pass_bytes += again.size;
    content.error = std::move(again.error);
    content.oddity = again.oddity;
  }
  if (!content.error) {
    scanner.finish();
    return;
  }
  if (content.oddity) {
    outcome.problem = ArchiveProblem{*content.oddity, facts.entry.path,
                                     content.error->offset.value_or(0), content.error->what};
  }
  scanner.discard(*std::move(content.error));
}

void WheelScan::add_progress(std::uint64_t bytes) {
  if (bytes == 0) return;
  const std::uint64_t before = progress_.fetch_add(bytes);
  if (options_.progress && before / kProgressStep != (before + bytes) / kProgressStep) {
    options_.progress(before + bytes, total_);
  }
}

/// Drops the hashes that RECORD does not ask for, and its own, which it can't state.
void WheelScan::keep_wanted_hashes() {
  const std::string own = wheel_.dist_info + "/RECORD";
  std::unordered_set<std::string_view> wanted;
  if (wheel_.record) {
    wanted.reserve(wheel_.record->rows.size());
    for (const RecordRow& row : wheel_.record->rows) {
      if (is_sha256(row.algorithm) && row.path != own) wanted.insert(row.path);
    }
  }
  for (MemberFacts& member : wheel_.members) {
    if (wanted.contains(member.entry.path)) {
      wheel_.stats.hashed_bytes += member.inflated_size;
    } else {
      member.sha256.clear();
    }
  }
}

/// Puts together what the threads left, in directory order.
void WheelScan::collect() {
  std::vector<ArchiveProblem>& problems = wheel_.archive.problems;
  wheel_.archive.libzip_agrees = libzip_problems_.empty();
  std::move(libzip_problems_.begin(), libzip_problems_.end(), std::back_inserter(problems));
  ScanStats& stats = wheel_.stats;
  stats.archive_bytes = source_.size();
  stats.members = static_cast<std::uint32_t>(wheel_.members.size());
  for (std::size_t i = 0; i < wheel_.members.size(); ++i) {
    const MemberFacts& member = wheel_.members[i];
    Outcome& outcome = outcomes_[i];
    if (outcome.problem) problems.push_back(*std::move(outcome.problem));
    stats.inflated_bytes += member.inflated_size;
    stats.second_passes += outcome.second_pass ? 1 : 0;
    stats.second_pass_bytes += outcome.second_pass_bytes;
    if (member.kind == ContentKind::elf) ++stats.elf_files;
    if (member.cross_check_skipped) ++stats.cross_check_skipped;
    if (options_.cross_check && member.elf && !member.cross_check_skipped) ++stats.cross_checked;
  }
}

Result<WheelFacts> WheelScan::run() {
  Result<ArchiveFacts> archive = read_archive(source_, options_.archive_budget);
  if (!archive) return std::move(archive).error();
  wheel_.archive = *std::move(archive);
  wheel_.path = source_.name();
  Result<WheelFileName> name = parse_wheel_filename(wheel_.path);
  if (name) {
    wheel_.file_name = *std::move(name);
  } else {
    wheel_.file_name_error = std::move(name).error();
  }
  limit_total();
  prepare_members();
  find_dist_info(wheel_);
  read_members();
  keep_wanted_hashes();
  collect();
  read_dist_info(wheel_);
  return std::move(wheel_);
}

}  // namespace

Result<WheelFacts> scan_wheel(const FileSource& source, const ScanOptions& options) {
  return WheelScan(source, options).run();
}

Result<WheelFacts> scan_wheel(const std::string& path, const ScanOptions& options) {
  Result<FileSource> source = FileSource::open(path);
  if (!source) return std::move(source).error();
  return scan_wheel(*source, options);
}

Result<MemberFacts> scan_file(const std::string& path, const ScanOptions& options) {
  Result<FileSource> source = FileSource::open(path);
  if (!source) return std::move(source).error();
  MemberFacts facts;
  facts.entry.path = path;
  facts.entry.size = facts.inflated_size = source->size();
  MemberScanner scanner(facts, options, false);
  std::vector<std::byte> buffer(128 << 10);
  const auto pass = [&](auto consume) -> std::optional<Error> {
    for (std::uint64_t at = 0; at < source->size();) {
      const std::uint64_t size = std::min<std::uint64_t>(buffer.size(), source->size() - at);
      const std::span<std::byte> part = std::span(buffer).first(static_cast<std::size_t>(size));
      if (std::optional<Error> error = source->read(at, part)) return error;
      consume(Bytes(part));
      at += size;
    }
    return std::nullopt;
  };
  std::optional<Error> error = pass([&](Bytes chunk) { scanner.consume(chunk); });
  while (!error && scanner.end_pass()) {
    error = pass([&](Bytes chunk) { scanner.consume_again(chunk); });
  }
  if (error) return *std::move(error);
  scanner.finish();
  return facts;
}

}  // namespace wheelcheck
