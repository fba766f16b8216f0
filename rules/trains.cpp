#include "rules/trains.h"

#include <algorithm>
#include <cctype>
#include <utility>

#include "nlohmann/json.hpp"

namespace wheelcheck {
namespace {

using Json = nlohmann::json;

Train read_train(const Json& json) {
  Train train;
  train.label = json.at("label").get<std::string>();
  train.major = json.at("major").get<int>();
  train.minor = json.at("minor").get<int>();
  const Json& requirement = json.at("requirement");
  train.requirement.name = requirement.at("name").get<std::string>();
  auto specifiers = SpecifierSet::parse(requirement.at("specifiers").get<std::string>());
  if (!specifiers) throw Json::other_error::create(501, specifiers.error().message(), nullptr);
  train.requirement.specifiers = *std::move(specifiers);
  train.requirement.marker = requirement.at("marker").get<std::string>();
  train.runtime_directory = json.at("runtime_directory").get<std::string>();
  train.cudart = json.at("cudart").get<std::string>();
  for (const auto& [machine, list] : json.at("architectures").items()) {
    auto architectures = list.get<std::vector<std::uint32_t>>();
    std::sort(architectures.begin(), architectures.end());
    train.architectures.emplace(machine, std::move(architectures));
  }
  return train;
}

RowWords read_row_words(const Json& json) {
  RowWords words;
  words.longest = json.at("longest").get<std::size_t>();
  json.at("cpu").get_to(words.cpu);
  json.at("cuda").get_to(words.cuda);
  json.at("number").get_to(words.number);
  const Json& refusals = json.at("refusals");
  refusals.at("malformed").get_to(words.malformed);
  refusals.at("ambiguous").get_to(words.ambiguous);
  refusals.at("incomplete").get_to(words.incomplete);
  refusals.at("unsupported").get_to(words.unsupported);
  return words;
}

CudaFamily read_family(const Json& json) {
  CudaFamily family;
  family.name = json.at("name").get<std::string>();
  for (const auto& [name, major] : json.at("sonames").items()) {
    family.sonames.emplace(name, major.get<int>());
  }
  for (const auto& [name, major] : json.at("packages").items()) {
    family.packages.emplace(name, major.get<int>());
  }
  return family;
}

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }

/// "libcudart" of "libcudart.so.13" and of "libcudart-d0da41ae.so.11.0".
std::string_view library_stem(std::string_view name) {
  const auto so = name.find(".so");
  if (so == std::string_view::npos) return {};
  std::string_view stem = name.substr(0, so);
  const auto dash = stem.rfind('-');
  if (dash != std::string_view::npos && stem.size() - dash == 9) {
    const std::string_view hash = stem.substr(dash + 1);
    if (std::all_of(hash.begin(), hash.end(),
                    [](unsigned char c) { return std::isxdigit(c) != 0; })) {
      stem = stem.substr(0, dash);
    }
  }
  return stem;
}

}  // namespace

Result<Trains> Trains::parse(std::string_view text) {
  Trains trains;
  try {
    const Json json = Json::parse(text);
    if (json.at("schema").get<int>() != 1) return Error{"trains.json", "unknown schema", {}};
    for (const Json& train : json.at("trains")) trains.trains_.push_back(read_train(train));
    for (const Json& entry : json.at("unsupported")) {
      trains.unsupported_.emplace(entry.at("label").get<std::string>(),
                                  entry.at("why").get<std::string>());
    }
    trains.row_words_ = read_row_words(json.at("rows"));
    trains.library_prefixes_ = json.at("library_prefixes").get<std::vector<std::string>>();
    for (const Json& family : json.at("families")) {
      trains.families_.push_back(read_family(family));
    }
  } catch (const Json::exception& exception) {
    return Error{"trains.json", exception.what(), {}};
  }
  return trains;
}

const Train* Trains::find(std::string_view label) const {
  const auto found = std::find_if(trains_.begin(), trains_.end(),
                                  [&](const Train& train) { return train.label == label; });
  return found == trains_.end() ? nullptr : &*found;
}

std::string Trains::supported() const {
  std::string text;
  for (const Train& train : trains_) text += (text.empty() ? "" : ", ") + train.label;
  return text;
}

CudaLabel Trains::classify(std::string_view local) const {
  CudaLabel label;
  label.text = std::string(local);
  std::transform(label.text.begin(), label.text.end(), label.text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (label.text.empty()) return label;
  label.kind = LabelKind::other;

  const std::string_view whole = label.text;
  const auto dot = whole.find('.');
  const std::string_view first = whole.substr(0, dot);
  if (first == "cpu") {
    label.kind = LabelKind::cpu;
    return label;
  }
  std::string_view digits = first;
  bool spelled_out = false;
  if (digits.starts_with("cuda")) {
    digits.remove_prefix(4);
    spelled_out = true;
  } else if (digits.starts_with("cu")) {
    digits.remove_prefix(2);
  } else {
    return label;
  }
  std::size_t count = 0;
  while (count < digits.size() && is_digit(digits[count])) ++count;
  if (count == 0) return label;  // "custom", "cublas"
  const std::string_view suffix = digits.substr(count);
  digits = digits.substr(0, count);

  label.kind = LabelKind::cuda;
  if (count == 2 && digits[0] == '1') {
    label.major = 10 + (digits[1] - '0');
    // "cuda12.1": the minor is the next segment. "cu12.6" is not a spelling that is used.
    if (spelled_out && suffix.empty() && dot != std::string_view::npos) {
      std::string_view minor = whole.substr(dot + 1);
      minor = minor.substr(0, minor.find('.'));
      if (minor.size() == 1 && is_digit(minor[0])) label.minor = minor[0] - '0';
    }
  } else if (count == 2) {  // "cu92": one digit each
    label.major = digits[0] - '0';
    label.minor = digits[1] - '0';
  } else if (count == 3) {
    label.major = (digits[0] - '0') * 10 + (digits[1] - '0');
    label.minor = digits[2] - '0';
  }

  if (whole == first && suffix.empty()) label.train = find(first);
  if (label.train == nullptr) {
    const auto known = unsupported_.find(first);
    if (known != unsupported_.end()) {
      label.why = known->second;
    } else if (label.major == 0) {
      label.why = "its digits name no CUDA release";
    } else if (label.minor < 0) {
      label.why = "it names a major without a minor";
    } else {
      label.why = "it is not a supported train";
    }
  }
  return label;
}

std::string Trains::why_unsupported(std::string_view label) const {
  const auto found = unsupported_.find(label);
  return found == unsupported_.end() ? std::string() : found->second;
}

int Trains::major_of_soname(std::string_view soname) const {
  for (const CudaFamily& family : families_) {
    const auto found = family.sonames.find(soname);
    if (found != family.sonames.end()) return found->second;
  }
  return 0;
}

const CudaFamily* Trains::family_of_library(std::string_view file_name) const {
  const std::string_view stem = library_stem(file_name);
  if (stem.empty()) return nullptr;
  for (const CudaFamily& family : families_) {
    for (const auto& [soname, major] : family.sonames) {
      if (library_stem(soname) == stem) return &family;
    }
  }
  return nullptr;
}

bool Trains::is_cuda_library(std::string_view file_name) const {
  // A library, not an archive member of that name or a header: "libcudart.txt" is none.
  const bool shared = file_name.find(".so") != std::string_view::npos ||
                      file_name.find(".dll") != std::string_view::npos ||
                      file_name.ends_with(".a") || file_name.ends_with(".lib");
  return shared &&
         std::any_of(library_prefixes_.begin(), library_prefixes_.end(),
                     [&](const std::string& prefix) { return file_name.starts_with(prefix); });
}

const CudaFamily* Trains::family_of_package(std::string_view distribution) const {
  for (const CudaFamily& family : families_) {
    if (family.packages.find(distribution) != family.packages.end()) return &family;
  }
  return nullptr;
}

}  // namespace wheelcheck
