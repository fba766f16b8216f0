#include <string>
#include <vector>

#include "LIEF/PE/Binary.hpp"
#include "LIEF/PE/CodeViewPDB.hpp"
#include "LIEF/PE/Debug.hpp"
#include "LIEF/PE/DelayImport.hpp"
#include "LIEF/PE/Export.hpp"
#include "LIEF/PE/Import.hpp"
#include "LIEF/PE/Parser.hpp"

#include "verifier/foreign/worker_modes.h"

namespace wheelcheck::worker {

bool write_pe(const std::string& path, wire::Writer& out) {
  const auto binary = LIEF::PE::Parser::parse(path);
  if (binary == nullptr) return false;
  out.text(binary->has_exports() ? binary->get_export().name() : std::string());

  std::vector<std::string> libraries, delay_libraries, debug_files;
  for (const LIEF::PE::Import& import : binary->imports()) libraries.push_back(import.name());
  for (const LIEF::PE::DelayImport& import : binary->delay_imports()) {
    delay_libraries.push_back(import.name());
  }
  for (const LIEF::PE::Debug& debug : binary->debug()) {
    if (!debug.has_code_view()) continue;
    const auto* database = dynamic_cast<const LIEF::PE::CodeViewPDB*>(debug.code_view());
    if (database != nullptr) debug_files.push_back(database->filename());
  }
  out.texts(libraries);
  out.texts(delay_libraries);
  out.texts(debug_files);
  return true;
}

}  // namespace wheelcheck::worker
