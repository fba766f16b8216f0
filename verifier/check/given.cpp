#include "verifier/check/given.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>
#include <utility>

#include "verifier/wheel/requirement.h"
#include "verifier/wheel/tags.h"

namespace wheelcheck {
namespace {

namespace fs = std::filesystem;

bool same_system(const Platform& a, const Platform& b) {
  if (a.kind == PlatformKind::any || b.kind == PlatformKind::any) return true;
  const auto on_glibc = [](const Platform& platform) {
    return platform.kind == PlatformKind::linux || platform.kind == PlatformKind::manylinux;
  };
  const auto fat = [](const Platform& platform) { return platform.arch.starts_with("universal"); };
  if (a.kind == PlatformKind::macos && b.kind == a.kind && (fat(a) || fat(b))) return true;
  return a.arch == b.arch && (a.kind == b.kind || (on_glibc(a) && on_glibc(b)));
}

/// "cp312" as 3, 12. Nothing for tags without a minor version ("py3").
struct PythonTag {
  std::string implementation;
  int major = 0;
  std::optional<int> minor;
};
PythonTag parse_python(std::string_view tag) {
  PythonTag python;
  const auto digits = std::min(tag.find_first_of("0123456789"), tag.size());
  python.implementation = std::string(tag.substr(0, digits));
  const std::string_view number = tag.substr(digits);
  if (!number.empty()) python.major = number[0] - '0';
  int minor = 0;
  if (number.size() > 1 &&
      std::from_chars(number.data() + 1, number.data() + number.size(), minor).ec == std::errc()) {
    python.minor = minor;
  }
  return python;
}

/// Whether an interpreter that takes `a` may take `b` too.
bool same_interpreter(const Tag& a, const Tag& b) {
  const PythonTag left = parse_python(a.python);
  const PythonTag right = parse_python(b.python);
  if (left.major != right.major) return false;
  const auto lasts = [](const Tag& tag, const PythonTag& python) {
    return python.implementation == "py" || !python.minor || tag.abi == "none" || tag.abi == "abi3";
  };
  if (left.implementation != "py" && right.implementation != "py" &&
      left.implementation != right.implementation) {
    return false;
  }
  const bool left_lasts = lasts(a, left);
  const bool right_lasts = lasts(b, right);
  if (left_lasts && right_lasts) return true;
  // One for exactly one version beside one for that version and later ones.
  if (left_lasts) return !left.minor || *left.minor <= *right.minor;
  if (right_lasts) return !right.minor || *right.minor <= *left.minor;
  return *left.minor == *right.minor && a.abi == b.abi;
}

std::string distribution_of(const WheelFacts& wheel) {
  if (wheel.metadata && !wheel.metadata->name.empty()) return normalise_name(wheel.metadata->name);
  return wheel.file_name ? wheel.file_name->normalised : std::string();
}

bool newer(const WheelFacts& a, const WheelFacts& b) {
  const auto version = [](const WheelFacts& wheel) -> std::optional<Version> {
    if (wheel.metadata && wheel.metadata->version) return wheel.metadata->version;
    return wheel.file_name ? wheel.file_name->version : std::nullopt;
  };
  const auto left = version(a);
  const auto right = version(b);
  if (!left || !right) return left.has_value() && !right.has_value();
  return *left > *right;
}

/// A member that is no library whatever its content: text and other systems' images.
bool never_a_library(ContentKind kind) {
  return kind != ContentKind::elf && kind != ContentKind::other;
}

}  // namespace

bool installable_beside(const WheelFacts& subject, const WheelFacts& other) {
  if (!subject.file_name || !other.file_name) return true;
  const std::vector<Tag> left = subject.file_name->tags();
  const std::vector<Tag> right = other.file_name->tags();
  return std::any_of(left.begin(), left.end(), [&right](const Tag& a) {
    return std::any_of(right.begin(), right.end(), [&a](const Tag& b) {
      return same_system(parse_platform(a.platform), parse_platform(b.platform)) &&
             same_interpreter(a, b);
    });
  });
}

void GivenPackages::keep(WheelFacts facts) {
  for (const MemberFacts& member : facts.members) {
    if (!member.unread || never_a_library(member.kind)) continue;
    Error error = *member.unread;
    // Errors of members name the member alone; those of installed files their path.
    if (!facts.archive.members.empty()) error.where = facts.path + ": " + error.where;
    errors_.push_back(std::move(error));
  }
  packages_.push_back(std::make_unique<WheelFacts>(std::move(facts)));
}

void GivenPackages::add_wheel(const std::string& path, const ScanOptions& options) {
  // What LIEF says is not kept.
  const bool cached = cache_ != nullptr && !options.cross_check;
  if (!cached) ++stats_.read;
  auto facts = cached ? cache_->scan(path, options, stats_) : scan_wheel(path, options);
  if (!facts) {
    errors_.push_back(facts.error());
    return;
  }
  keep(std::move(facts).value());
}

void GivenPackages::add(const std::string& path,
                        const std::vector<SitePackagesFolder>& installation,
                        const ScanOptions& options) {
  const auto start = std::chrono::steady_clock::now();
  add_all(path, installation, options);
  stats_.seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void GivenPackages::add_all(const std::string& path,
                            const std::vector<SitePackagesFolder>& installation,
                            const ScanOptions& options) {
  std::error_code code;
  if (!fs::is_directory(path, code)) {
    add_wheel(path, options);
    return;
  }
  std::vector<std::string> wheels;
  bool unpacked = false;
  for (fs::directory_iterator entry(path, code), end; !code && entry != end;
       entry.increment(code)) {
    const fs::path extension = entry->path().extension();
    if (extension == ".whl") wheels.push_back(entry->path().string());
    if (extension == ".dist-info") unpacked = true;
  }
  if (code) {
    errors_.push_back({path, "cannot be listed: " + code.message(), {}});
    return;
  }
  if (!unpacked && wheels.empty()) {
    errors_.push_back({path, "holds neither wheels nor installed packages (*.dist-info)", {}});
    return;
  }
  std::sort(wheels.begin(), wheels.end());
  for (const std::string& wheel : wheels) add_wheel(wheel, options);
  if (unpacked) {
    SitePackages installed = read_site_packages(path, options, installation);
    std::move(installed.errors.begin(), installed.errors.end(), std::back_inserter(errors_));
    for (WheelFacts& package : installed.packages) keep(std::move(package));
  }
}

std::vector<const WheelFacts*> GivenPackages::suiting(const WheelFacts& subject) const {
  const std::string own_name = distribution_of(subject);
  std::map<std::string, const WheelFacts*> by_name;
  std::vector<const WheelFacts*> nameless;
  for (const auto& package : packages_) {
    const std::string name = distribution_of(*package);
    if (name.empty()) nameless.push_back(package.get());
    if (name.empty() || name == own_name || !installable_beside(subject, *package)) continue;
    const WheelFacts*& best = by_name[name];
    if (best == nullptr || newer(*package, *best)) best = package.get();
  }
  std::vector<const WheelFacts*> suiting;
  for (const auto& [name, package] : by_name) suiting.push_back(package);
  suiting.insert(suiting.end(), nameless.begin(), nameless.end());
  return suiting;
}

}  // namespace wheelcheck
