#pragma once

#include <executorch/runtime/core/named_data_map.h>
#include <memory>
#include <string>
#include <vector>

#include "backends/cuda/library.h"
#include "backends/cuda/payload.h"
#include "backends/cuda/tensor.h"
#include "backends/cuda/weights.h"

namespace executorch::backends::cuda {

/// One instance of a compiled library with its constants.
class Container {
 public:
  Container() = default;
  ~Container();
  Container(const Container&) = delete;
  Container& operator=(const Container&) = delete;

  /// Makes an instance on `device`, which must be the thread's.
  [[nodiscard]] Error create(const AotiLibrary& library, int device);
  /// Gives it its constants from `data`. With `share_state`, methods share what they may write to,
  /// too. Every constant that the library has must be there: NotFound, or InvalidExternalData when
  /// sizes do not agree.
  [[nodiscard]] Error load_constants(const Payload& payload, const runtime::NamedDataMap* data,
                                     bool share_state);

  std::size_t num_inputs() const { return num_inputs_; }
  std::size_t num_outputs() const { return num_outputs_; }
  /// Enqueues a run. Takes the inputs (those it took are null afterwards), writes the outputs. One
  /// call at a time. On failure, outputs may be there or not.
  [[nodiscard]] Error run(AtenTensorHandle* inputs, AtenTensorHandle* outputs,
                          cudaStream_t stream) const;

 private:
  struct Constant;
  Error list_constants(std::vector<Constant>* ret) const;
  Error load_blob(const std::string& key, const runtime::NamedDataMap* data,
                  const std::vector<Constant>& constants);
  Error attach(const Payload& payload, const runtime::NamedDataMap* data, bool share_state,
               const std::vector<Constant>& constants);

  const AotiLibrary* library_ = nullptr;
  AotiContainer* container_ = nullptr;
  int device_ = 0;
  std::size_t num_inputs_ = 0;
  std::size_t num_outputs_ = 0;
  // In this order: the tensors refer to the weights, and the container, which ends first, to both.
  std::vector<std::shared_ptr<Weights>> weights_;
  std::vector<OwnedTensor> constants_;
};

}  // namespace executorch::backends::cuda
