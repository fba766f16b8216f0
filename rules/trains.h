#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "verifier/core/result.h"
#include "verifier/wheel/version.h"

namespace wheelcheck {

/// The CUDA runtime that a train's wheels require.
struct TrainRequirement {
  std::string name;         ///< normalised
  SpecifierSet specifiers;  ///< compared as a set
  std::string marker;       ///< as written in METADATA
};

/// One supported CUDA train, the single source for packaging and for what is judged.
struct Train {
  std::string label;  ///< "cu126"
  int major = 0;
  int minor = 0;
  TrainRequirement requirement;
  std::string runtime_directory;  ///< below site-packages: "nvidia/cu13/lib"
  std::string cudart;             ///< SONAME: "libcudart.so.13"
  /// Platform tag machine -> GPU architectures (90 for sm_90), ascending. Machine code for each,
  /// the portable form for the last.
  std::map<std::string, std::vector<std::uint32_t>, std::less<>> architectures;

  [[nodiscard]] std::string version() const {
    return std::to_string(major) + "." + std::to_string(minor);
  }
};

/// A family of CUDA libraries whose names tell the CUDA major (0: they do not).
struct CudaFamily {
  std::string name;                                  ///< "cudart"
  std::map<std::string, int, std::less<>> sonames;   ///< "libcudart.so.13" -> 13
  std::map<std::string, int, std::less<>> packages;  ///< normalised distribution -> major
};

/// How the value of a build row is read; see rules/row.h.
struct RowWords {
  std::size_t longest = 0;  ///< bytes
  std::string cpu;          ///< regular expressions over the value in lower case
  std::string cuda;         ///< its second group is the release: "130", "13.0"
  std::string number;       ///< a release without a word before it
  std::string malformed;    ///< why a row is refused
  std::string ambiguous;
  std::string incomplete;
  std::string unsupported;
};

enum class LabelKind {
  none,   ///< no local version
  cpu,    ///< "+cpu"
  cuda,   ///< names a CUDA release or major; see CudaLabel::train
  other,  ///< says nothing of CUDA: "+3a00cc1", "+custom.1"
};

/// What a local version says of CUDA.
struct CudaLabel {
  LabelKind kind = LabelKind::none;
  std::string text;              ///< the local version
  std::string words;             ///< "the label cu130", and who has it where that is in doubt
  int major = 0;                 ///< kind cuda: 12; 0 where its digits make no release
  int minor = -1;                ///< kind cuda: 6; -1 where only a major is named
  const Train* train = nullptr;  ///< the supported train of exactly that name
  std::string why;               ///< kind cuda without a train: why it is none
};

class Trains {
 public:
  [[nodiscard]] static Result<Trains> parse(std::string_view json);

  [[nodiscard]] const std::vector<Train>& all() const { return trains_; }
  [[nodiscard]] const std::vector<CudaFamily>& families() const { return families_; }
  [[nodiscard]] const Train* find(std::string_view label) const;
  /// "cu126, cu130, cu132"
  [[nodiscard]] std::string supported() const;

  /// Reads a local version ("cu130", "cpu", "cu12torch2.6", ""). Only a first segment that is
  /// "cpu", or "cu"/"cuda" and digits, counts: "custom" and hexadecimal revisions do not.
  [[nodiscard]] CudaLabel classify(std::string_view local) const;

  [[nodiscard]] const RowWords& row_words() const { return row_words_; }
  /// Why the train of this label is not built; empty where the table gives no reason.
  [[nodiscard]] std::string why_unsupported(std::string_view label) const;

  /// The CUDA major that needing this library means; 0 where its name does not tell.
  [[nodiscard]] int major_of_soname(std::string_view soname) const;
  /// The family that ships a library of that name, whatever its version. Null: not CUDA's.
  [[nodiscard]] const CudaFamily* family_of_library(std::string_view file_name) const;
  /// A library of the CUDA toolkit or driver by its file name, on any system.
  [[nodiscard]] bool is_cuda_library(std::string_view file_name) const;
  [[nodiscard]] const CudaFamily* family_of_package(std::string_view distribution) const;

 private:
  std::vector<Train> trains_;
  std::map<std::string, std::string, std::less<>> unsupported_;  // label -> why
  RowWords row_words_;
  std::vector<CudaFamily> families_;
  std::vector<std::string> library_prefixes_;
};

}  // namespace wheelcheck
