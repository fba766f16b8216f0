#include <array>
#include <string>
#include <vector>

#include "LIEF/MachO/Binary.hpp"
#include "LIEF/MachO/BuildVersion.hpp"
#include "LIEF/MachO/DylibCommand.hpp"
#include "LIEF/MachO/FatBinary.hpp"
#include "LIEF/MachO/Parser.hpp"
#include "LIEF/MachO/RPathCommand.hpp"
#include "LIEF/MachO/VersionMin.hpp"

#include "verifier/foreign/worker_modes.h"

namespace wheelcheck::worker {

namespace {

using LIEF::MachO::LOAD_COMMAND_TYPES;

// "11.0", "10.15", and "10.13.4" only where there is a third part to say.
template <class Version>
std::string version_text(const Version& version) {
  std::string text = std::to_string(version[0]) + "." + std::to_string(version[1]);
  if (version[2] != 0) text += "." + std::to_string(version[2]);
  return text;
}

const char* platform_name(std::uint32_t platform) {
  switch (platform) {
    case 1:
      return "macos";
    case 2:
      return "ios";
    case 3:
      return "tvos";
    case 4:
      return "watchos";
    case 6:
      return "maccatalyst";
    case 7:
      return "ios-simulator";
    case 8:
      return "tvos-simulator";
    case 9:
      return "watchos-simulator";
    default:
      return "other";
  }
}

const char* platform_name(LOAD_COMMAND_TYPES command) {
  switch (command) {
    case LOAD_COMMAND_TYPES::LC_VERSION_MIN_IPHONEOS:
      return "ios";
    case LOAD_COMMAND_TYPES::LC_VERSION_MIN_TVOS:
      return "tvos";
    case LOAD_COMMAND_TYPES::LC_VERSION_MIN_WATCHOS:
      return "watchos";
    default:
      return "macos";
  }
}

// The command as what LIEF made of it; LIEF's own cast is not in its installed headers. A failing
// cast throws, and the worker's death is an error to the parent.
template <class Command>
const Command& as(const LIEF::MachO::LoadCommand& command) {
  return dynamic_cast<const Command&>(command);
}

struct MinimumOs {
  std::string platform;
  std::string version;
  // A library for both macOS and Catalyst states each; Python on a Mac is a macOS program.
  void take(std::string other_platform, std::string other_version) {
    if (!platform.empty() && other_platform != "macos") return;
    platform = std::move(other_platform);
    version = std::move(other_version);
  }
};

}  // namespace

bool write_mach_o(const std::string& path, wire::Writer& out) {
  // Quick: exports and bindings are not asked for, and are where crafted files blow up most.
  const auto fat = LIEF::MachO::Parser::parse(path, LIEF::MachO::ParserConfig::quick());
  if (fat == nullptr || fat->size() != 1) return false;
  LIEF::MachO::Binary& binary = *fat->front();

  std::uint64_t commands = 0;
  std::string identity;
  bool has_identity = false;
  std::vector<std::string> libraries, weak_libraries, rpaths;
  MinimumOs minimum;
  for (const LIEF::MachO::LoadCommand& command : binary.commands()) {
    ++commands;
    switch (command.command()) {
      case LOAD_COMMAND_TYPES::LC_ID_DYLIB:
        identity = as<LIEF::MachO::DylibCommand>(command).name();
        has_identity = true;
        break;
      case LOAD_COMMAND_TYPES::LC_LOAD_WEAK_DYLIB:
        weak_libraries.push_back(as<LIEF::MachO::DylibCommand>(command).name());
        [[fallthrough]];
      case LOAD_COMMAND_TYPES::LC_LOAD_DYLIB:
      case LOAD_COMMAND_TYPES::LC_REEXPORT_DYLIB:
      case LOAD_COMMAND_TYPES::LC_LAZY_LOAD_DYLIB:
      case LOAD_COMMAND_TYPES::LC_LOAD_UPWARD_DYLIB:
        libraries.push_back(as<LIEF::MachO::DylibCommand>(command).name());
        break;
      case LOAD_COMMAND_TYPES::LC_RPATH:
        rpaths.push_back(as<LIEF::MachO::RPathCommand>(command).path());
        break;
      case LOAD_COMMAND_TYPES::LC_BUILD_VERSION: {
        const auto& build = as<LIEF::MachO::BuildVersion>(command);
        minimum.take(platform_name(static_cast<std::uint32_t>(build.platform())),
                     version_text(build.minos()));
        break;
      }
      case LOAD_COMMAND_TYPES::LC_VERSION_MIN_MACOSX:
      case LOAD_COMMAND_TYPES::LC_VERSION_MIN_IPHONEOS:
      case LOAD_COMMAND_TYPES::LC_VERSION_MIN_TVOS:
      case LOAD_COMMAND_TYPES::LC_VERSION_MIN_WATCHOS:
        minimum.take(platform_name(command.command()),
                     version_text(as<LIEF::MachO::VersionMin>(command).version()));
        break;
      default:
        break;
    }
  }
  out.number(commands);
  out.number(has_identity ? 1 : 0);
  out.text(identity);
  out.texts(libraries);
  out.texts(weak_libraries);
  out.texts(rpaths);
  out.text(minimum.platform);
  out.text(minimum.version);
  return true;
}

}  // namespace wheelcheck::worker
