// Feeds the readers of a wheel's texts. The first byte of an input picks the reader, so that a
// corpus file is that byte and a real text.

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "verifier/wheel/extension_suffix.h"
#include "verifier/wheel/metadata.h"
#include "verifier/wheel/requirement.h"
#include "verifier/wheel/tags.h"
#include "verifier/wheel/version.h"

namespace {

using namespace wheelcheck;  // NOLINT(google-build-using-namespace): this file is all about it

/// Properties that hold for every input; an input that breaks one is a crash.
void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

void check_version(std::string_view text) {
  const auto version = Version::parse(text);
  if (!version) return;
  const auto again = Version::parse(version->str());
  require(again.ok() && *again == *version && again->str() == version->str(), "version round trip");
  const auto exact = Specifier::parse("==" + version->str());
  require(exact.ok() && exact->contains(*version), "a version equals itself");
  const auto bare = Version::parse(version->public_part());
  require(bare.ok() && *bare <= *version, "a local version does not stand before its public one");
}

void check_requirement(std::string_view text) {
  const auto requirement = Requirement::parse(text);
  if (!requirement) return;
  (void)requirement->applies({}, {"extra"});
  const auto set = SpecifierSet::parse(requirement->specifiers.str());
  require(set.ok() && *set == requirement->specifiers, "specifier set round trip");
  for (const Specifier& clause : requirement->specifiers.clauses())
    (void)clause.contains_text("1.0.post1+local");
}

void check_marker(std::string_view text) {
  const auto marker = Marker::parse(text);
  if (!marker) return;
  const auto value = marker->try_evaluate({});
  require(marker->evaluate({}) == (value && *value), "evaluate is try_evaluate");
}

void check_file_name(std::string_view text) {
  if (const auto name = parse_wheel_filename(text)) {
    require(!name->tags().empty(), "a file name has a tag");
    for (const Tag& tag : name->tags())
      (void)marker_environment(parse_platform(tag.platform), tag.python);
  }
  (void)install_path(text, "x-1.0.data", Scheme::purelib);
  if (const auto suffix = parse_extension_suffix(text))
    (void)extension_fit(*suffix, {{"cp312", "cp312", "manylinux_2_28_x86_64"}});
}

void check_record(std::string_view text) {
  for (const RecordRow& row : parse_record(text).rows) {
    const auto hex = record_digest_hex(row.digest);
    require(!hex || hex->size() == 64, "a digest has 64 digits");
  }
}

}  // namespace

// NOLINTNEXTLINE(readability-identifier-naming): the name is libFuzzer's.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  switch (data[0]) {
    case 'M':
      (void)parse_metadata(text);
      break;
    case 'W':
      (void)parse_wheel_file(text);
      break;
    case 'R':
      check_record(text);
      break;
    case 'E':
      (void)parse_entry_points(text);
      (void)parse_top_level(text);
      break;
    case 'F':
      check_file_name(text);
      break;
    case 'Q':
      check_requirement(text);
      break;
    case 'K':
      check_marker(text);
      break;
    case 'V':
      check_version(text);
      break;
    default:
      break;
  }
  return 0;
}
