#include <algorithm>
#include <array>
#include <charconv>
#include <unordered_map>

#include "verifier/wheel/headers.h"
#include "verifier/wheel/metadata.h"
#include "verifier/wheel/text.h"

namespace wheelcheck {

namespace {

/// One row of comma-separated values.
struct CsvRow {
  std::vector<std::string> fields;  // the first three
  std::size_t count = 0;            // of all
  std::uint32_t line = 0;           // its first
  bool open_quote = false;
  bool cut = false;  // a field was too long
};

/// Reads what Python's csv module reads with its defaults: a quote opens only at the start of a
/// field, is doubled to stand for itself, and what follows the closing one is kept as it is.
class CsvReader {
 public:
  explicit CsvReader(std::string_view text) : text_(text) {}

  bool next(CsvRow& row) {
    row = CsvRow{};
    if (at_ >= text_.size()) return false;
    row.line = line_;
    if (at_line_end()) {  // a blank line is a row without fields
      take_line_end();
      return true;
    }
    do {
      read_field(row);
    } while (take(','));
    if (at_ < text_.size()) take_line_end();
    return true;
  }

 private:
  [[nodiscard]] bool at_line_end() const { return text_[at_] == '\n' || text_[at_] == '\r'; }
  void take_line_end() {
    at_ += text_.substr(at_, 2) == "\r\n" ? 2U : 1U;
    ++line_;
  }
  bool take(char c) {
    if (at_ >= text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }
  void read_field(CsvRow& row) {
    std::string field;
    const auto put = [&](char c) {
      if (field.size() == kMaxFieldLength) {
        row.cut = true;
      } else {
        field += c;
      }
    };
    if (take('"')) {
      row.open_quote = true;
      while (at_ < text_.size()) {
        if (take('"')) {
          if (!take('"')) {
            row.open_quote = false;
            break;
          }
          put('"');
        } else {
          const bool line_end = at_line_end();
          put(text_[at_]);
          if (line_end) {
            const bool pair = text_.substr(at_, 2) == "\r\n";
            take_line_end();
            if (pair) put('\n');
          } else {
            ++at_;
          }
        }
      }
    }
    const std::size_t plain = at_;
    while (at_ < text_.size() && text_[at_] != ',' && !at_line_end()) ++at_;
    const std::size_t fits = std::min(at_ - plain, kMaxFieldLength - field.size());
    field.append(text_, plain, fits);
    row.cut = row.cut || fits < at_ - plain;
    ++row.count;
    if (row.fields.size() < 3) row.fields.push_back(std::move(field));
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::uint32_t line_ = 1;
};

/// Length of a digest in urlsafe base64 without padding.
struct Algorithm {
  std::string_view name;
  std::size_t length;
};
constexpr std::array<Algorithm, 8> kAlgorithms{{{"sha256", 43},
                                                {"sha384", 64},
                                                {"sha512", 86},
                                                {"sha3_256", 43},
                                                {"sha3_384", 64},
                                                {"sha3_512", 86},
                                                {"blake2s", 43},
                                                {"blake2b", 86}}};
constexpr std::array<std::string_view, 4> kWeak{"md5", "sha1", "sha224", "sha3_224"};

constexpr std::array<signed char, 256> kBase64Values = [] {
  std::array<signed char, 256> values{};
  values.fill(-1);
  constexpr std::string_view kLetters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  for (std::size_t i = 0; i < kLetters.size(); ++i) {
    values[static_cast<unsigned char>(kLetters[i])] = static_cast<signed char>(i);
  }
  return values;
}();

int base64_value(char c) { return kBase64Values[static_cast<unsigned char>(c)]; }

std::string_view without_padding(std::string_view digest) {
  while (!digest.empty() && digest.back() == '=') digest.remove_suffix(1);
  return digest;
}

/// What is wrong with "algorithm=digest", or nothing. Fills the row.
std::string read_hash(const std::string& field, RecordRow& row) {
  if (field.empty()) return {};
  const std::size_t equals = field.find('=');
  row.algorithm = field.substr(0, equals);
  if (equals == std::string::npos) return "the hash " + text::quoted(field) + " has no '='";
  row.digest = field.substr(equals + 1);
  if (std::find(kWeak.begin(), kWeak.end(), text::lower(row.algorithm)) != kWeak.end())
    return row.algorithm + " is too weak; the format asks for sha256 or better";
  const auto* known = std::find_if(kAlgorithms.begin(), kAlgorithms.end(),
                                   [&](const Algorithm& a) { return a.name == row.algorithm; });
  if (known == kAlgorithms.end()) return "unknown hash " + text::quoted(row.algorithm);
  const std::string_view bare = without_padding(row.digest);
  const bool letters =
      std::all_of(bare.begin(), bare.end(), [](char c) { return base64_value(c) >= 0; });
  if (!letters || bare.size() != known->length)
    return text::quoted(row.digest) + " is not a " + row.algorithm +
           " digest in urlsafe base64 without padding";
  if (bare.size() != row.digest.size())
    return "the digest " + text::quoted(row.digest) + " is padded with '='";
  return {};
}

std::string read_size(const std::string& field, RecordRow& row) {
  if (field.empty()) return {};
  std::uint64_t value = 0;
  const char* const last = field.data() + field.size();
  const auto [end, error] = std::from_chars(field.data(), last, value);
  if (error != std::errc() || end != last)
    return "the size " + text::quoted(field) + " is not a number of bytes";
  row.size = value;
  return {};
}

std::string check_path(std::string_view path) {
  if (path.empty()) return "the path is empty";
  if (!text::is_utf8(path)) return "the path is not UTF-8";
  if (path.front() == '/' || path.front() == '\\') return "the path is absolute";
  if (path.size() >= 2 && text::is_alpha(path[0]) && path[1] == ':') return "the path is absolute";
  if (path.find('\\') != std::string_view::npos) return "the path holds a backslash";
  if (path.find('\0') != std::string_view::npos) return "the path holds a zero byte";
  if (path == ".." || path.starts_with("../") || path.ends_with("/..") ||
      path.find("/../") != std::string_view::npos) {
    return "the path holds \"..\"";
  }
  return {};
}

bool same_content(const RecordRow& a, const RecordRow& b) {
  return a.algorithm == b.algorithm && a.digest == b.digest && a.size == b.size;
}

}  // namespace

Record parse_record(std::string_view text) {
  Record out;
  constexpr std::string_view kMark = "\xEF\xBB\xBF";
  if (text.substr(0, kMark.size()) == kMark) {
    add_problem(out.problems, 1,
                "starts with a byte-order mark, which installers read as part of "
                "the first path");
    text.remove_prefix(kMark.size());
  }
  CsvReader reader(text);
  CsvRow csv;
  while (reader.next(csv)) {
    if (out.rows.size() == kMaxRecordRows) {
      add_problem(out.problems, csv.line, "too many rows; those from here on are not read");
      break;
    }
    RecordRow row;
    row.line = csv.line;
    const auto problem = [&](const std::string& what) {
      if (what.empty()) return;
      const std::string name = csv.fields.empty() ? "" : text::quoted(row.path) + ": ";
      add_problem(out.problems, csv.line, name + what);
    };
    if (csv.fields.empty()) {
      problem("a blank line, which is no row");
      continue;
    }
    row.path = std::move(csv.fields[0]);
    if (csv.open_quote) problem("a quote is not closed");
    if (csv.cut)
      problem("a field is longer than " + std::to_string(kMaxFieldLength) +
              " bytes; the rest of it is not read");
    if (csv.count != 3)
      problem("the row has " + std::to_string(csv.count) + " fields instead of 3");
    problem(check_path(row.path));
    if (csv.fields.size() > 1) problem(read_hash(csv.fields[1], row));
    if (csv.fields.size() > 2) problem(read_size(csv.fields[2], row));
    if (!row.path.empty()) out.rows.push_back(std::move(row));
  }
  std::unordered_map<std::string_view, const RecordRow*> first_of;
  first_of.reserve(out.rows.size());
  for (const RecordRow& row : out.rows) {
    const auto [found, added] = first_of.emplace(row.path, &row);
    if (!added && !same_content(*found->second, row))
      add_problem(out.problems, row.line,
                  text::quoted(row.path) + ": line " + std::to_string(found->second->line) +
                      " says otherwise of the same file");
  }
  return out;
}

std::optional<std::string> record_digest_hex(std::string_view digest) {
  digest = without_padding(digest);
  if (digest.size() != 43) return std::nullopt;
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string out(64, '0');
  std::size_t at = 0;
  unsigned bits = 0;
  unsigned count = 0;
  for (const char c : digest) {
    const int value = base64_value(c);
    if (value < 0) return std::nullopt;
    bits = (bits << 6) | static_cast<unsigned>(value);
    count += 6;
    while (count >= 4) {
      count -= 4;
      if (at < out.size()) out[at++] = kHex[(bits >> count) & 0xF];
    }
    bits &= 0xF;
  }
  // 43 letters carry 258 bits: the last two must be zero, or another text would mean the same.
  return (bits & 0x3) == 0 ? std::optional(std::move(out)) : std::nullopt;
}

}  // namespace wheelcheck
