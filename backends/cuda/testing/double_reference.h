#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "runtime/exports/export_files.h"

namespace executorch::backends::cuda {

/// How far outputs of quantised products are from double precision, beside those of another
/// implementation. FOLDER/<export>/<method>.c<call>.out0 with the suffix
///   .f64        the product in double precision,
///   .q.f64      that of activations as the plain formats see them, rounded to 8 bits,
///   .published  what the library published on PyPI gives for the same bytes, bfloat16.
/// double_references.py and run_exports.py wrote them.
class DoubleReference {
 public:
  using Values = std::vector<double>;

  /// `call` is such as "forward.c0".
  DoubleReference(const std::filesystem::path& folder, const std::string& call)
      : exact_(numbers(folder / (call + ".out0.f64"))),
        rounded_(numbers(folder / (call + ".out0.q.f64"))),
        published_(bytes(folder / (call + ".out0.published"))) {}

  bool exists() const { return !exact_.empty(); }
  const std::vector<std::uint8_t>& published() const { return published_; }

  /// `got` and `peer`, which `peer_name` made, are the same output; false when an error is larger
  /// than the peer's. Appends what was found to `text`.
  bool compare(const Values& got, const Values& peer, const char* peer_name,
               std::string* text) const {
    bool good = true;
    for (const Values* reference : {&exact_, &rounded_}) {
      if (reference->empty()) continue;
      if (reference->size() != got.size() || reference->size() != peer.size()) {
        *text += "; the reference in double precision has another size";
        return false;
      }
      const double ours = error(got, *reference);
      const double theirs = error(peer, *reference);
      char part[120];
      std::snprintf(part, sizeof part, "; error against double%s %.6f, %s %.6f",
                    reference == &rounded_ ? " of rounded activations" : "", ours, peer_name,
                    theirs);
      *text += part;
      good = good && ours <= kLimit * theirs;
    }
    return good;
  }

 private:
  // Of a few hundred roundings to bfloat16, which two orders of adding do not share.
  static constexpr double kLimit = 1.01;

  static std::vector<std::uint8_t> bytes(const std::filesystem::path& path) {
    return std::filesystem::exists(path) ? exports::read_file(path) : std::vector<std::uint8_t>();
  }
  static Values numbers(const std::filesystem::path& path) {
    const std::vector<std::uint8_t> raw = bytes(path);
    Values values(raw.size() / sizeof(double));
    std::memcpy(values.data(), raw.data(), values.size() * sizeof(double));
    return values;
  }
  // Root of the sum of squares, in parts of the reference's. NaN is beyond every limit.
  static double error(const Values& values, const Values& reference) {
    double difference = 0;
    double size = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
      difference += (values[i] - reference[i]) * (values[i] - reference[i]);
      size += reference[i] * reference[i];
    }
    return std::sqrt(difference / size);
  }

  Values exact_;
  Values rounded_;
  std::vector<std::uint8_t> published_;
};

}  // namespace executorch::backends::cuda
