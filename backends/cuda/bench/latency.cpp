// latency FOLDER...: the delegate beside PyTorch's own runner of compiled models, on the same
// library, in the same process, in alternating pairs. Tensors are on the device, in and out; each
// time is one run and the wait for its stream. FOLDERs are of dump_delegate.py. Prints the median
// of the pairs' ratios and the medians of both; exits with 1 when a ratio is above 1.03 or an
// output differs.
//
// Compiled by hand, for the release of PyTorch at hand, since it needs its headers: see
// run_latency.

#include <ATen/ATen.h>
#include <ATen/cuda/CUDAContext.h>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cuda_runtime_api.h>
#include <executorch/extension/module/module.h>
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <executorch/runtime/platform/runtime.h>
#include <fstream>
#include <map>
#include <sstream>
#include <torch/csrc/inductor/aoti_runner/model_container_runner_cuda.h>

namespace {

namespace et = executorch::runtime;
using Clock = std::chrono::steady_clock;

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("can't read " + path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::vector<int64_t> numbers(const std::string& text) {
  std::vector<int64_t> values;
  if (text == "-") return values;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, ',');) values.push_back(std::stoll(part));
  return values;
}

class Files final : public et::NamedDataMap {
 public:
  explicit Files(const std::string& folder) {
    std::ifstream list(folder + "/data.txt");
    for (std::string key, name; list >> key >> name;) all_[key] = read_file(folder + "/" + name);
  }
  et::Result<const et::TensorLayout> get_tensor_layout(std::string_view) const override {
    return et::Error::NotFound;
  }
  et::Result<et::FreeableBuffer> get_data(std::string_view key) const override {
    const auto found = all_.find(std::string(key));
    if (found == all_.end()) return et::Error::NotFound;
    return et::FreeableBuffer(found->second.data(), found->second.size(), nullptr);
  }
  et::Error load_data_into(std::string_view, void*, size_t) const override {
    return et::Error::NotImplemented;
  }
  et::Result<uint32_t> get_num_keys() const override { return static_cast<uint32_t>(all_.size()); }
  et::Result<const char*> get_key(uint32_t) const override { return et::Error::NotImplemented; }

 private:
  std::map<std::string, std::string> all_;
};

at::Tensor on_device(const std::string& raw, int64_t dtype, const std::vector<int64_t>& sizes) {
  const auto type = static_cast<at::ScalarType>(dtype);
  at::Tensor host = at::empty(sizes, at::TensorOptions().dtype(type));
  std::memcpy(host.data_ptr(), raw.data(), raw.size());
  return host.to(at::kCUDA);
}

// A tensor of the program's kind over torch's memory.
struct Argument {
  explicit Argument(const at::Tensor& tensor) : memory(tensor) {
    for (const int64_t size : tensor.sizes()) sizes.push_back(static_cast<int32_t>(size));
    for (const int64_t stride : tensor.strides()) strides.push_back(static_cast<int32_t>(stride));
    for (size_t i = 0; i < sizes.size(); ++i) order.push_back(static_cast<uint8_t>(i));
    impl = std::make_unique<et::etensor::TensorImpl>(
        static_cast<et::etensor::ScalarType>(tensor.scalar_type()), sizes.size(), sizes.data(),
        tensor.data_ptr(), order.data(), strides.data(), et::TensorShapeDynamism::STATIC,
        tensor.is_cuda() ? et::etensor::DeviceType::CUDA : et::etensor::DeviceType::CPU, 0);
    value = et::EValue(et::etensor::Tensor(impl.get()));
  }
  at::Tensor memory;
  std::vector<int32_t> sizes, strides;
  std::vector<uint8_t> order;
  std::unique_ptr<et::etensor::TensorImpl> impl;
  et::EValue value;
};

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

template <typename Run>
double microseconds(cudaStream_t stream, Run run) {
  const auto begin = Clock::now();
  run();
  if (cudaStreamSynchronize(stream) != cudaSuccess) throw std::runtime_error("synchronise");
  return std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
}

bool measure(const std::string& folder, int pairs) {
  // PyTorch's side.
  torch::inductor::AOTIModelContainerRunnerCuda runner(folder + "/library.so", 1, "cuda", "");
  torch::inductor::TensorConstantMap constants;
  std::vector<at::Tensor> kept;
  std::ifstream list(folder + "/constants.txt");
  for (std::string fqn, sizes, strides, name; list >> fqn;) {
    int64_t dtype = 0, device = 0, offset = 0;
    list >> dtype >> device >> offset >> sizes >> strides >> name;
    const std::string raw = read_file(folder + "/" + name);
    const auto type = static_cast<at::ScalarType>(dtype);
    at::Tensor storage =
        on_device(raw, dtype, {static_cast<int64_t>(raw.size() / c10::elementSize(type))});
    kept.push_back(storage.as_strided(numbers(sizes), numbers(strides), offset));
    std::replace(fqn.begin(), fqn.end(), '.', '_');
    constants[fqn] = new at::Tensor(kept.back());
  }
  if (!constants.empty()) runner.update_constant_buffer(constants, false, true, true);

  std::vector<at::Tensor> inputs;
  std::ifstream in(folder + "/inputs.txt");
  for (std::string sizes, name; in.good();) {
    int64_t dtype = 0;
    if (!(in >> dtype >> sizes >> name)) break;
    inputs.push_back(on_device(read_file(folder + "/" + name), dtype, numbers(sizes)));
  }

  // Ours.
  et::BackendInterface* const backend = et::get_backend_class("CudaBackend");
  Files files(folder);
  const std::string payload = read_file(folder + "/payload.bin");
  et::FreeableBuffer processed(payload.data(), payload.size(), nullptr);
  uint8_t pool[1024];
  et::MemoryAllocator allocator(sizeof pool, pool);
  et::BackendInitContext context(&allocator, nullptr, "forward", &files);
  auto handle = backend->init(context, &processed, {});
  if (!handle.ok()) return false;
  std::vector<std::unique_ptr<Argument>> arguments;
  for (const at::Tensor& input : inputs) arguments.push_back(std::make_unique<Argument>(input));
  std::vector<at::Tensor> outputs;
  std::ifstream out(folder + "/outputs.txt");
  for (std::string sizes; out.good();) {
    int64_t dtype = 0;
    if (!(out >> dtype >> sizes)) break;
    outputs.push_back(
        at::empty(numbers(sizes),
                  at::TensorOptions().dtype(static_cast<at::ScalarType>(dtype)).device(at::kCUDA)));
    arguments.push_back(std::make_unique<Argument>(outputs.back()));
  }
  std::vector<et::EValue*> values;
  for (auto& argument : arguments) values.push_back(&argument->value);

  const cudaStream_t stream = at::cuda::getCurrentCUDAStream().stream();
  et::BackendExecutionContext execution;
  bool good = true;
  std::vector<at::Tensor> theirs;
  const auto run_ours = [&] {
    good = backend->execute(execution, *handle, {values.data(), values.size()}) == et::Error::Ok &&
           good;
  };
  const auto run_theirs = [&] { theirs = runner.run(inputs, nullptr); };
  for (int i = 0; i < 200; ++i) {
    microseconds(stream, run_ours);
    cudaDeviceSynchronize();
    microseconds(stream, run_theirs);
  }
  cudaDeviceSynchronize();
  bool equal = theirs.size() == outputs.size();
  for (size_t i = 0; i < theirs.size() && equal; ++i) equal = at::equal(theirs[i], outputs[i]);

  std::vector<double> ratios, our_times, their_times;
  for (int i = 0; i < pairs; ++i) {
    // Whose turn is first alternates too. Ours runs on its own stream, and is waited for by device.
    double ours = 0, other = 0;
    for (int turn = 0; turn < 2; ++turn) {
      if ((turn == 0) == (i % 2 == 0)) {
        const auto begin = Clock::now();
        run_ours();
        cudaDeviceSynchronize();
        ours = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
      } else {
        const auto begin = Clock::now();
        run_theirs();
        cudaDeviceSynchronize();
        other = std::chrono::duration<double, std::micro>(Clock::now() - begin).count();
      }
    }
    ratios.push_back(ours / other);
    our_times.push_back(ours);
    their_times.push_back(other);
  }
  // Without waiting: what the host needs to hand over one run.
  std::vector<double> our_host, their_host;
  for (int i = 0; i < pairs / 10; ++i) {
    for (const bool mine : {true, false}) {
      cudaDeviceSynchronize();
      const auto begin = Clock::now();
      mine ? run_ours() : run_theirs();
      (mine ? our_host : their_host)
          .push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
    }
  }
  cudaDeviceSynchronize();
  // All of what a user calls: the program with tensors on the host, and so with its copies.
  executorch::extension::Module module(folder + "/model.pte", folder + "/aoti_cuda_blob.ptd");
  std::vector<std::unique_ptr<Argument>> on_host;
  std::vector<at::Tensor> host_inputs;
  std::vector<et::EValue> host_values;
  for (const at::Tensor& input : inputs) {
    host_inputs.push_back(input.cpu());
    on_host.push_back(std::make_unique<Argument>(host_inputs.back()));
    host_values.push_back(on_host.back()->value);
  }
  std::vector<double> whole;
  for (int i = 0; i < pairs / 4; ++i) {
    const auto begin = Clock::now();
    good = module.execute("forward", host_values).ok() && good;
    whole.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  const double ratio = median(ratios);
  std::printf(
      "%-14s ratio %.3f  delegate %.2f us  libtorch %.2f us  (%d pairs)  host alone %.2f "
      "and %.2f us  whole Module::execute from and to the host %.2f us  outputs %s\n",
      folder.substr(folder.rfind('/') + 1).c_str(), ratio, median(our_times), median(their_times),
      pairs, median(our_host), median(their_host), median(whole), equal ? "equal" : "DIFFERENT");
  std::fflush(stdout);
  backend->destroy(*handle);
  return good && equal && ratio <= 1.03;
}

}  // namespace

int main(int argc, char** argv) {
  et::runtime_init();
  bool good = argc > 1;
  for (int i = 1; i < argc; ++i) good = measure(argv[i], 4001) && good;
  return good ? 0 : 1;
}
