#include "verifier/cuda/dump.h"

namespace wheelcheck {

std::string arch_name(const DeviceCode& code) {
  std::string name = code.kind == DeviceCodeKind::cubin ? "sm_"
                     : code.kind == DeviceCodeKind::ptx
                         ? "compute_"
                         : "kind" + std::to_string(code.raw_kind) + "_";
  name += std::to_string(code.arch);
  if (code.variant != '\0') name += code.variant;
  return name;
}

std::string dump(const FatbinFacts& facts) {
  std::string text = "fatbin containers=" + std::to_string(facts.containers) +
                     " elsewhere=" + std::to_string(facts.containers_elsewhere) + "\n";
  for (std::size_t i = 0; i < facts.entries.size(); ++i) {
    const DeviceCode& code = facts.entries[i];
    text += "device_code count=" + std::to_string(facts.counts[i]) +
            " compressed=" + (code.compressed ? "1" : "0") +
            " toolkit=" + (code.toolkit.empty() ? "unknown" : code.toolkit) + " " +
            arch_name(code) + "\n";
  }
  for (const std::string& what : facts.unknown) text += "unknown " + what + "\n";
  return text;
}

}  // namespace wheelcheck
