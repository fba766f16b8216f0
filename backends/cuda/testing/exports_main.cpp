// cuda_exports [--libtorch FOLDER] [--double FOLDER] EXPORT...: runs real exports for CUDA, every
// call in order, with its inputs in memory of the host and again in memory of the device, and
// prints what came out beside
// - the library inside, run by PyTorch's own runtime: bit for bit. The first folder holds its
//   outputs of this run (compiled_outputs.py writes them), else those recorded in the export are
//   taken;
// - for quantised products, double precision: the error is no larger than that of PyTorch, or of
// the
//   published library where PyTorch lacks the operator. The second folder holds both;
// - eager PyTorch, as recorded in the export.
// Exits with 1 when a call fails, or when its outputs are not as they should be.

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <cuda_runtime_api.h>
#include <executorch/extension/module/module.h>
#include <executorch/extension/tensor/tensor.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <filesystem>
#include <memory>

#include "backends/cuda/testing/double_reference.h"
#include "backends/cuda/testing/random_outputs.h"
#include "runtime/exports/export_files.h"

namespace executorch::backends::cuda {
namespace {

using exports::Call;
using exports::Export;
using exports::TensorFile;
using extension::Module;
using runtime::EValue;
using Bytes = std::vector<std::uint8_t>;

// Device memory with given content, and some of no content.
class DeviceBytes {
 public:
  explicit DeviceBytes(const Bytes& bytes) : DeviceBytes(bytes.size()) {
    static_cast<void>(cudaMemcpy(data_, bytes.data(), bytes.size(), cudaMemcpyHostToDevice));
  }
  explicit DeviceBytes(std::size_t size) : size_(size) {
    if (cudaMalloc(&data_, std::max<std::size_t>(size, 1)) != cudaSuccess) data_ = nullptr;
  }
  ~DeviceBytes() { static_cast<void>(cudaFree(data_)); }
  DeviceBytes(const DeviceBytes&) = delete;
  DeviceBytes& operator=(const DeviceBytes&) = delete;
  void* data() const { return data_; }

 private:
  void* data_ = nullptr;
  std::size_t size_;
};

std::size_t bytes_of(const TensorFile& file) { return file.bytes.size(); }

double element(const TensorFile& like, const std::uint8_t* bytes, std::size_t index) {
  const std::size_t size = runtime::elementSize(like.type);
  const std::uint8_t* const at = bytes + index * size;
  const auto as = [&](auto value) {
    std::memcpy(&value, at, sizeof value);
    return value;
  };
  switch (like.type) {
    case aten::ScalarType::Float:
      return static_cast<double>(as(float{}));
    case aten::ScalarType::Double:
      return as(double{});
    case aten::ScalarType::Long:
      return static_cast<double>(as(std::int64_t{}));
    case aten::ScalarType::Int:
      return as(std::int32_t{});
    case aten::ScalarType::BFloat16: {
      const std::uint32_t word = static_cast<std::uint32_t>(as(std::uint16_t{})) << 16;
      float value = 0;
      std::memcpy(&value, &word, sizeof value);
      return static_cast<double>(value);
    }
    case aten::ScalarType::Half:
      return static_cast<double>(static_cast<float>(as(aten::Half{})));
    default:
      return *at;
  }
}

// The largest difference, and the largest element of the reference.
struct Distance {
  double difference = 0;
  double largest = 0;
  void add(const TensorFile& reference, const Bytes& got) {
    const std::size_t count = got.size() / runtime::elementSize(reference.type);
    for (std::size_t i = 0; i < count; ++i) {
      const double wanted = element(reference, reference.bytes.data(), i);
      const double error = std::abs(wanted - element(reference, got.data(), i));
      difference = std::isnan(error) ? INFINITY : std::max(difference, error);
      largest = std::max(largest, std::abs(wanted));
    }
  }
};

std::vector<double> elements(const TensorFile& like, const Bytes& bytes) {
  std::vector<double> values(bytes.size() / runtime::elementSize(like.type));
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = element(like, bytes.data(), i);
  return values;
}

// Where references are; empty without them.
struct References {
  std::string libtorch;
  std::string in_double;
};

class Runner {
 public:
  Runner(const std::string& folder, const References& references, bool on_device)
      : files_(exports::read_export(folder)),
        references_(references),
        name_(name_of(folder)),
        on_device_(on_device),
        module_(files_.program, files_.data) {}

  static std::string name_of(const std::string& folder) {
    const std::filesystem::path path(folder);
    return (path.parent_path().filename() / path.filename()).string();
  }

  bool run() {
    if (files_.random) return run_random();
    bool good = true;
    for (std::size_t i = 0; i < files_.calls.size(); ++i) {
      const Call& call = files_.calls[i];
      number_ = call.method == last_method_ ? number_ + 1 : 0;
      last_method_ = call.method;
      std::vector<Bytes> outputs;
      const bool ran = execute(call, &outputs);
      good = report(call, ran, outputs) && good;
    }
    return good;
  }

 private:
  void print(const Call& call, const std::string& text) const {
    std::printf("%-24s %-12s %-6s %s\n", name_.c_str(),
                (call.method + "." + std::to_string(number_)).c_str(),
                on_device_ ? "device" : "host", text.c_str());
    std::fflush(stdout);
  }

  // Runs one call; `outputs` are the bytes of the method's outputs.
  bool execute(const Call& call, std::vector<Bytes>* outputs) {
    if (module_.load_method(call.method) != runtime::Error::Ok) return false;
    const auto meta = module_.method_meta(call.method);
    if (!meta.ok()) return false;
    std::vector<std::unique_ptr<DeviceBytes>> memory;
    std::vector<Bytes> host;
    std::vector<extension::TensorPtr> tensors;
    std::vector<EValue> inputs;
    for (const TensorFile& file : call.inputs) {
      tensors.push_back(place(file.sizes, file.type, file.bytes, &memory, &host));
      inputs.emplace_back(tensors.back());
    }
    // Outputs without a place of the program's own are given one, where the inputs are.
    for (std::size_t i = 0; i < call.outputs.size(); ++i) {
      const auto info = meta->output_tensor_meta(i);
      if (!info.ok() || info->is_memory_planned()) continue;
      const TensorFile& file = call.outputs[i];
      tensors.push_back(place(file.sizes, file.type, Bytes(bytes_of(file)), &memory, &host));
      if (module_.set_output(call.method, tensors.back(), i) != runtime::Error::Ok) return false;
    }
    const auto results = module_.execute(call.method, inputs);
    if (!results.ok()) return false;
    for (const EValue& value : *results) {
      if (!value.isTensor()) return false;
      const aten::Tensor& tensor = value.toTensor();
      Bytes bytes(tensor.nbytes());
      if (cudaMemcpy(bytes.data(), tensor.const_data_ptr(), bytes.size(), cudaMemcpyDefault) !=
          cudaSuccess) {
        return false;
      }
      outputs->push_back(std::move(bytes));
    }
    return outputs->size() == call.outputs.size();
  }

  extension::TensorPtr place(const std::vector<std::int32_t>& sizes, aten::ScalarType type,
                             const Bytes& bytes, std::vector<std::unique_ptr<DeviceBytes>>* memory,
                             std::vector<Bytes>* host) const {
    if (on_device_) {
      memory->push_back(std::make_unique<DeviceBytes>(bytes));
      return extension::make_tensor_ptr(sizes, memory->back()->data(), {}, {}, type,
                                        aten::Device(aten::DeviceType::CUDA));
    }
    host->push_back(bytes);
    return extension::make_tensor_ptr(sizes, host->back().data(), type);
  }

  // What the library inside gave, in its own order; empty when it is not known.
  std::vector<Bytes> compiled(const Call& call, std::string* source) const {
    std::vector<Bytes> outputs;
    if (!references_.libtorch.empty()) {
      *source = "libtorch";
      for (std::size_t i = 0;; ++i) {
        const std::filesystem::path file = references_.libtorch + "/" + name_ + "/" +
                                           number_of(call) + ".out" + std::to_string(i) + ".bin";
        if (!std::filesystem::exists(file)) break;
        outputs.push_back(exports::read_file(file));
      }
    }
    if (outputs.empty()) {
      *source = "libtorch, recorded";
      for (const TensorFile& file : call.compiled) outputs.push_back(file.bytes);
    }
    return outputs;
  }

  std::string number_of(const Call& call) const {
    return call.method + ".c" + std::to_string(number_);
  }

  // Whether the one output is as near to double precision as that of others; false, too, without
  // the reference.
  bool near_double(const Call& call, const std::vector<Bytes>& outputs,
                   const std::vector<Bytes>& compiled, std::string* text) const {
    const DoubleReference reference(std::filesystem::path(references_.in_double) / name_,
                                    number_of(call));
    const bool is_libtorchs = !compiled.empty();
    if (!reference.exists() || (!is_libtorchs && reference.published().empty())) {
      *text += "; NO REFERENCE in double precision";
      return false;
    }
    const TensorFile& like = call.outputs[0];
    return reference.compare(elements(like, outputs[0]),
                             elements(like, is_libtorchs ? compiled[0] : reference.published()),
                             is_libtorchs ? "libtorch's" : "the published library's", text);
  }

  bool report(const Call& call, bool ran, const std::vector<Bytes>& outputs) const {
    if (!ran) {
      print(call, "FAILED");
      return false;
    }
    Distance eager;
    bool equal_to_eager = true;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      if (outputs[i].size() != bytes_of(call.outputs[i])) {
        print(call, "FAILED: output " + std::to_string(i) + " has another size");
        return false;
      }
      equal_to_eager = equal_to_eager && outputs[i] == call.outputs[i].bytes;
      eager.add(call.outputs[i], outputs[i]);
    }
    std::string source;
    const std::vector<Bytes> wanted = compiled(call, &source);
    const bool known = !wanted.empty();
    // The order of the method's outputs is the program's; eager, which has it too, tells them
    // apart.
    const bool equal =
        known && std::is_permutation(outputs.begin(), outputs.end(), wanted.begin(), wanted.end());
    char text[160];
    std::snprintf(text, sizeof text, "%s, %s: largest difference %.3g of %.3g",
                  !known  ? "no reference of libtorch"
                  : equal ? ("equal to " + source).c_str()
                          : ("DIFFERENT from " + source).c_str(),
                  equal_to_eager ? "equal to eager" : "not equal to eager", eager.difference,
                  eager.largest);
    // Equal bits say all. Without them, or to tell outputs of one shape apart, eager has to be
    // near: generated products round in another order than those of eager, quantised ones much more
    // so.
    const double bound = files_.quantized ? 0.02 : 0.01;
    const bool near = equal_to_eager || eager.difference <= bound * eager.largest;
    const bool ordered = outputs.size() == 1 || near;
    std::string words = text;
    bool good = false;
    if (files_.quantized) {
      good = near_double(call, outputs, wanted, &words) && near;
    } else {
      good = (known ? equal && ordered : near) && (!call.compiled_is_exact || equal_to_eager);
    }
    print(call, words + (good ? "" : "  <-- WRONG"));
    return good;
  }

  bool run_random() {
    const Call& call = files_.calls.front();
    last_method_ = call.method;
    RandomOutputs statistic(name_.substr(name_.find('/') + 1));
    for (int i = 0; i < 200; ++i) {
      std::vector<Bytes> outputs;
      if (!execute(call, &outputs)) {
        print(call, "FAILED");
        return false;
      }
      statistic.add(call.inputs[0].bytes, outputs[0]);
    }
    print(call, statistic.text() + (statistic.good() ? "" : "  <-- WRONG"));
    return statistic.good();
  }

  Export files_;
  References references_;
  std::string name_;
  bool on_device_;
  Module module_;
  std::string last_method_;
  int number_ = 0;
};

int run(int argc, char** argv) {
  References references;
  std::vector<std::string> folders;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--libtorch" && i + 1 < argc) {
      references.libtorch = argv[++i];
    } else if (argument == "--double" && i + 1 < argc) {
      references.in_double = argv[++i];
    } else {
      folders.push_back(argument);
    }
  }
  int count = 0;
  if (cudaGetDeviceCount(&count) != cudaSuccess || count == 0) {
    std::puts("there is no GPU: nothing was run");
    return 77;
  }
  std::size_t wrong = 0;
  for (const std::string& folder : folders) {
    for (const bool on_device : {false, true}) {
      if (!Runner(folder, references, on_device).run()) ++wrong;
    }
  }
  std::printf(
      "%zu exports, each with inputs on the host and on the device: %zu of %zu went wrong\n",
      folders.size(), wrong, 2 * folders.size());
  return wrong == 0 && !folders.empty() ? 0 : 1;
}

}  // namespace
}  // namespace executorch::backends::cuda

int main(int argc, char** argv) { return executorch::backends::cuda::run(argc, argv); }
