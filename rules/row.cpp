#include "rules/row.h"

#include <algorithm>
#include <regex>

namespace wheelcheck {
namespace {

std::string_view strip(std::string_view text) {
  constexpr std::string_view kSpace = " \t\n\r\f\v";
  const auto first = text.find_first_not_of(kSpace);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

/// "118" and "11.8" are one release; what is neither stays as it is.
std::string without_dot(const std::string& release) {
  static const std::regex kMajorAndMinor(R"(^([0-9][0-9])\.([0-9])$)");
  return std::regex_replace(release, kMajorAndMinor, "$1$2");
}

Error refuse(std::string_view value, const std::string& why, const Trains& trains) {
  return Error{"row '" + std::string(value) + "' cannot be built",
               why + "; rows: cpu, " + trains.supported(),
               {}};
}

}  // namespace

std::string Row::str() const { return train == nullptr ? "cpu" : "cuda " + train->version(); }

Result<Row> read_row(std::string_view value, const Trains& trains) {
  const RowWords& words = trains.row_words();
  std::string text(strip(value));
  if (text.empty()) return Row{};
  // Bounded before a regular expression sees it: std::regex recurses over its text.
  if (text.size() > words.longest) return refuse(value, words.malformed, trains);
  std::transform(text.begin(), text.end(), text.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  if (std::regex_match(text, std::regex(words.cpu))) return Row{};
  if (std::regex_match(text, std::regex(words.number))) {
    return refuse(value, words.ambiguous, trains);
  }
  std::smatch named;
  if (!std::regex_match(text, named, std::regex(words.cuda))) {
    return refuse(value, words.malformed, trains);
  }
  const std::string release = named[2];
  for (const Train& train : trains.all()) {
    const std::string glued = std::to_string(train.major) + std::to_string(train.minor);
    if (release == glued || release == train.version()) return Row{&train};
  }
  if (release.size() < 3 && release.find('.') == std::string::npos) {
    return refuse(value, words.incomplete, trains);
  }
  const std::string why = trains.why_unsupported("cu" + without_dot(release));
  return refuse(value, why.empty() ? words.unsupported : why, trains);
}

}  // namespace wheelcheck
