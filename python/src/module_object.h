// A program whose methods are loaded when they are called.

#pragma once

#include <map>
#include <memory>
#include <string>

#include "python/src/method.h"

namespace executorch::python {

/// Used from several threads at once.
class LoadedModule {
 public:
  LoadedModule(std::shared_ptr<LoadedProgram> program,
               std::shared_ptr<const BackendOptionsCopy> options)
      : program_(std::move(program)), options_(std::move(options)) {}

  const std::shared_ptr<LoadedProgram>& program() const { return program_; }
  /// The method of that name, loaded when it isn't yet. Holds the GIL.
  std::shared_ptr<LoadedMethod> method(const std::string& name) {
    const auto found = methods_.find(name);
    if (found != methods_.end()) return found->second;
    // Another thread may have loaded it meanwhile: the first one stays.
    return methods_.emplace(name, LoadedMethod::load(program_, name, options_)).first->second;
  }

 private:
  std::shared_ptr<LoadedProgram> program_;
  std::shared_ptr<const BackendOptionsCopy> options_;
  std::map<std::string, std::shared_ptr<LoadedMethod>> methods_;
};

}  // namespace executorch::python
