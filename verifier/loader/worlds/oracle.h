#pragma once

#include <filesystem>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <unistd.h>
#include <utility>

#include "verifier/loader/worlds/real_loader.h"

namespace wheelcheck::worlds {

/// For tests: one loader of this machine, with a folder that goes away again.
class Oracle {
 public:
  /// `programs`: where the compiled ones lie.
  Oracle(LoaderKind kind, const std::string& programs) {
    folder_ = (std::filesystem::temp_directory_path() / "worlds-test-XXXXXX").string();
    if (::mkdtemp(folder_.data()) == nullptr) {
      ADD_FAILURE() << folder_;
      return;
    }
    const bool musl = kind == LoaderKind::musl;
    RealLoader::Setup setup;
    setup.kind = kind;
    setup.loader = musl ? "/lib/ld-musl-x86_64.so.1" : "/lib64/ld-linux-x86-64.so.2";
    setup.host = programs + (musl ? "/host_musl" : "/host_glibc");
    setup.caller = programs + (musl ? "/caller_musl" : "/caller_glibc");
    setup.folder = folder_;
    auto loader = RealLoader::make(std::move(setup));
    if (loader) {
      loader_ = *std::move(loader);
    } else {
      ADD_FAILURE() << loader.error().message();
    }
  }
  ~Oracle() {
    loader_.reset();
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  Oracle(const Oracle&) = delete;
  Oracle& operator=(const Oracle&) = delete;

  explicit operator bool() const { return loader_ != nullptr; }
  RealLoader& operator*() { return *loader_; }
  RealLoader* operator->() { return loader_.get(); }

 private:
  std::string folder_;
  std::unique_ptr<RealLoader> loader_;
};

}  // namespace wheelcheck::worlds
