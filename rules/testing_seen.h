#pragma once

#include <cstdlib>
#include <fstream>
#include <set>
#include <string>

#include "rules/rule.h"

namespace wheelcheck::testing {

/// Which rules the tests made fire, and which they saw keep silent. The file that
/// WHEELCHECK_RULES_SEEN names, if it does, gets a line "slug fired" or "slug silent" for each when
/// the program ends: fixtures.catalogue holds it against the catalogue.
class SeenRules {
 public:
  static void note(const Rule& rule, bool fired) {
    static SeenRules seen;
    (fired ? seen.fired_ : seen.silent_).insert(rule.row.slug);
  }

 private:
  SeenRules() = default;
  ~SeenRules() {
    const char* path = std::getenv("WHEELCHECK_RULES_SEEN");
    if (path == nullptr) return;
    std::ofstream file(path);
    for (const std::string& slug : fired_) file << slug << " fired\n";
    for (const std::string& slug : silent_) file << slug << " silent\n";
  }

  std::set<std::string> fired_;
  std::set<std::string> silent_;
};

}  // namespace wheelcheck::testing
