#include "verifier/cli/surroundings_options.h"

#include "CLI/CLI.hpp"

#include "verifier/cli/console.h"

namespace wheelcheck::cli {

void declare(CLI::App& app, Surroundings& surroundings, std::string& glibc) {
  app.add_option("--site-packages", surroundings.site_packages,
                 "what is installed beside a wheel; nothing else is")
      ->type_name("FOLDER");
  app.add_option("--preload", surroundings.preload,
                 "package or library that is loaded before, as by an import")
      ->allow_extra_args(false)
      ->type_name("NAME");
  app.add_option("--ld-library-path", surroundings.ld_library_path, "as if it were set to this")
      ->type_name("PATH");
  app.add_option("--glibc", glibc,
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

std::optional<int> settle(Surroundings& surroundings, const std::string& glibc) {
  if (glibc.empty()) return std::nullopt;
  surroundings.glibc = parse_glibc(glibc);
  if (surroundings.glibc) return std::nullopt;
  return usage_error("'" + glibc + "' is no version of glibc, such as 2.41");
}

}  // namespace wheelcheck::cli
