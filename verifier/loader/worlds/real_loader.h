#pragma once

#include <memory>
#include <optional>
#include <string>

#include "verifier/core/result.h"
#include "verifier/loader/machine.h"
#include "verifier/loader/worlds/child.h"
#include "verifier/loader/worlds/layout.h"
#include "verifier/loader/worlds/loader_files.h"
#include "verifier/loader/worlds/world.h"

namespace wheelcheck::worlds {

/// A real loader as an oracle. Its readings are those of reading.h.
class RealLoader {
 public:
  struct Setup {
    LoaderKind kind = LoaderKind::glibc;
    std::string loader;  ///< path of ld.so or ld-musl
    std::string libc;    ///< glibc: the libc.so.6 that goes with it; empty: this process's own
    std::string host;    ///< compiled, see stamp_template()
    std::string caller;
    std::string folder;     ///< for its own files; worlds lie below it
    bool as_built = false;  ///< glibc keeps its paths: for files of this machine, not for worlds
  };
  /// glibc is copied with its built-in paths replaced by others of the same length, so that a world
  /// brings its own ld.so.cache and default directories: "d1", "d2" ... The code stays as it is.
  [[nodiscard]] static Result<std::unique_ptr<RealLoader>> make(Setup setup);

  /// The machine that worlds run on, as far as the loader shows it.
  [[nodiscard]] const Machine& machine() const { return machine_; }
  /// Where a world is laid down.
  [[nodiscard]] const std::string& root() const { return root_; }
  [[nodiscard]] const Templates& templates() const { return templates_; }
  [[nodiscard]] const std::string& libc() const { return setup_.libc; }
  /// Links outside of the world that lead into it.
  [[nodiscard]] const std::vector<InstallTree::Link>& links() const { return links_; }
  /// musl as built: what its configuration names; nothing when there is none.
  [[nodiscard]] const std::optional<std::string>& search_config() const { return search_config_; }
  [[nodiscard]] LoaderKind kind() const { return setup_.kind; }
  [[nodiscard]] const std::string& version() const { return version_; }

  /// Of a world that lies at root().
  [[nodiscard]] Result<Reading> read(const World& world);

  /// What the symbols of a world that lies at root() are bound to; see symbol_worlds.h.
  [[nodiscard]] Result<Written> run_for_symbols(const World& world);

  /// What the loader lists for a file of this machine, in an empty environment.
  [[nodiscard]] Result<Reading> list(const std::string& file);
  /// What `ldd -r` would say of it; see symbol_check.h.
  [[nodiscard]] Result<Reading> list_symbols(const std::string& file);
  /// The loader's own file.
  [[nodiscard]] const std::string& file() const { return setup_.loader; }

  /// How a world's program is called on the command line.
  [[nodiscard]] std::string program_path(const World& world) const;

 private:
  explicit RealLoader(Setup setup);
  Result<bool> prepare_glibc();
  Result<bool> prepare_musl();
  Result<bool> prepare_as_built(const std::string& code);
  Result<bool> ask_version();
  Result<bool> probe_glibc();
  Result<bool> write_config(const World& world) const;
  [[nodiscard]] Runner::Request request_for(const World& world) const;
  [[nodiscard]] Runner::Request request_to_list(const std::string& file) const;

  Setup setup_;
  std::string root_;
  std::string loader_;  ///< the one that is run
  std::string version_;
  Templates templates_;
  Machine machine_;
  std::optional<std::string> search_config_;
  Runner runner_;
  ShortLinks short_links_;
  std::vector<InstallTree::Link> links_;
};

}  // namespace wheelcheck::worlds
