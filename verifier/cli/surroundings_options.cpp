#include "verifier/cli/surroundings_options.h"

#include "CLI/CLI.hpp"

#include "verifier/cli/console.h"

namespace wheelcheck::cli {

void declare(CLI::App& app, Surroundings& surroundings, SurroundingsTexts& texts) {
  app.add_option("--site-packages", texts.site_packages,
                 "what is installed beside a wheel, and nothing else is; twice for lib64 and lib")
      ->allow_extra_args(false)
      ->type_name("FOLDER");
  app.add_option("--site-packages-layout", texts.layout,
                 "joined or split: whether purelib and platlib are one folder")
      ->check(CLI::IsMember({"joined", "split"}).description(""))
      ->type_name("LAYOUT");
  app.add_option("--preload", surroundings.preload,
                 "package or library that is loaded before, as by an import")
      ->allow_extra_args(false)
      ->type_name("NAME");
  app.add_option("--ld-library-path", surroundings.ld_library_path, "as if it were set to this")
      ->type_name("PATH");
  app.add_option("--glibc", texts.glibc,
                 "rules of this version (default: 2.36, with --host this machine's)")
      ->type_name("VERSION");
  app.add_flag("--host", surroundings.host,
               "this machine's directories and ld.so.cache instead of what the tag promises");
}

void declare_no_cache(CLI::App& app, bool& cache) {
  cache = true;
  app.add_flag_callback(
      "--no-cache", [&cache]() { cache = false; },
      "read every wheel beside, and keep no facts of it");
}

std::optional<int> settle(Surroundings& surroundings, const SurroundingsTexts& texts) {
  if (!texts.glibc.empty()) {
    surroundings.glibc = parse_glibc(texts.glibc);
    if (!surroundings.glibc) {
      return usage_error("'" + texts.glibc + "' is no version of glibc, such as 2.41");
    }
  }
  auto folders = folders_of_installation(texts.site_packages);
  if (!folders) return usage_error("--site-packages: " + folders.error().message());
  surroundings.site_packages = *std::move(folders);
  using Layout = SitePackagesLayout;
  const std::size_t count = surroundings.site_packages.size();
  if (count != 0) surroundings.layout = count == 1 ? Layout::joined : Layout::split;
  if (texts.layout.empty()) return std::nullopt;
  const Layout wanted = texts.layout == "split" ? Layout::split : Layout::joined;
  if (surroundings.layout && surroundings.layout != wanted) {
    return usage_error(wanted == Layout::split
                           ? "--site-packages-layout split has two folders: name the other as well"
                           : "--site-packages names two folders, which is a split layout");
  }
  surroundings.layout = wanted;
  return std::nullopt;
}

}  // namespace wheelcheck::cli
