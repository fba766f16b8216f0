#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "verifier/core/bytes.h"
#include "verifier/wheel/facts.h"

namespace wheelcheck {

/// How a pattern is looked for in an absolute path.
enum class BuildPathPlace {
  prefix,           ///< the path begins with it, and goes on
  component,        ///< a component is it
  component_prefix  ///< a component begins with it
};

struct BuildPathPattern {
  const char* name;  ///< BuildPathHit::pattern; several rows may share one
  const char* text;
  BuildPathPlace place;
};

/// Every pattern there is. A path gives one hit, of its first pattern in this order.
[[nodiscard]] std::span<const BuildPathPattern> build_path_patterns();

/// Finds absolute paths of build machines in bytes that stream past. Judges nothing: "/tmp/x" may
/// well be a default that a user wants.
class BuildPathScanner {
 public:
  /// `count_lines`: give hits their line. `size`: of the whole file.
  BuildPathScanner(bool count_lines, std::uint64_t size) : count_lines_(count_lines), size_(size) {}

  void consume(Bytes chunk);
  /// Bytes that are not looked at. A path does not reach across them.
  void skip(std::uint64_t size);
  [[nodiscard]] BuildPathFacts finish();

 private:
  /// Looks for paths that begin in [from, until) of `window`, whose first byte is at `offset`.
  void scan(std::string_view window, std::size_t from, std::size_t until, std::uint64_t offset);
  void flush();
  void record(std::string_view path, const BuildPathPattern& pattern, std::uint64_t offset,
              std::string_view window, std::size_t at);

  bool count_lines_;
  std::uint64_t size_;
  std::uint64_t position_ = 0;  // of the next byte, in the file
  // The end of what was seen: where a path may begin that goes on in the next chunk, and before
  // that a few bytes for looking back.
  std::string tail_;
  std::size_t tail_seen_ = 0;  // bytes of `tail_` in which paths were looked for
  std::uint32_t lines_ = 0;    // line breaks before the window
  BuildPathFacts facts_;
};

}  // namespace wheelcheck
