#include "runtime/exports/export_files.h"

#include <algorithm>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <fstream>
#include <iterator>
#include <map>
#include <stdexcept>

#include "nlohmann/json.hpp"

namespace executorch::exports {

std::vector<std::uint8_t> read_file(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("can't read " + path.string());
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

namespace {

aten::ScalarType element_type(const std::string& name) {
  static const std::map<std::string, aten::ScalarType> types = {
      {"float32", aten::ScalarType::Float},     {"float64", aten::ScalarType::Double},
      {"bfloat16", aten::ScalarType::BFloat16}, {"int64", aten::ScalarType::Long},
      {"bool", aten::ScalarType::Bool},         {"int32", aten::ScalarType::Int},
      {"float16", aten::ScalarType::Half},      {"uint8", aten::ScalarType::Byte},
  };
  return types.at(name);
}

TensorFile read_tensor(const std::filesystem::path& folder, const nlohmann::json& entry) {
  TensorFile tensor;
  tensor.type = element_type(entry.at("dtype"));
  tensor.sizes = entry.at("shape").get<std::vector<std::int32_t>>();
  tensor.bytes = read_file(folder / entry.at("file").get<std::string>());
  const auto numel =
      aten::compute_numel(tensor.sizes.data(), static_cast<ssize_t>(tensor.sizes.size()));
  if (tensor.bytes.size() != static_cast<std::size_t>(numel) * runtime::elementSize(tensor.type)) {
    throw std::runtime_error("a tensor file of the wrong size: " + entry.dump());
  }
  return tensor;
}

std::vector<TensorFile> read_tensors(const std::filesystem::path& folder,
                                     const nlohmann::json& entries) {
  std::vector<TensorFile> tensors;
  for (const auto& entry : entries) tensors.push_back(read_tensor(folder, entry));
  return tensors;
}

}  // namespace

std::string export_folder(const std::string& model) {
  return (std::filesystem::path(EXPORTS_DIR) / model).string();
}

std::string test_name(std::string model) {
  std::replace_if(
      model.begin(), model.end(), [](char c) { return c == '.' || c == '/'; }, '_');
  return model;
}

Export read_export(const std::string& folder) {
  const std::filesystem::path base(folder);
  const auto text = read_file(base / "manifest.json");
  const auto manifest = nlohmann::json::parse(text.begin(), text.end());
  Export result;
  result.program = (base / "model.pte").string();
  result.random = manifest.at("opts").value("random", false);
  result.quantized = manifest.at("opts").value("tol", false);
  const auto data = base / "aoti_cuda_blob.ptd";
  if (std::filesystem::exists(data)) result.data = data.string();
  for (const auto& [name, method] : manifest.at("methods").items()) {
    result.methods.push_back(name);
    for (const auto& call : method.at("calls")) {
      Call one{name,
               read_tensors(base, call.at("inputs")),
               read_tensors(base, call.at("outputs")),
               {},
               false};
      if (call.contains("aoti")) {
        one.compiled = read_tensors(base, call.at("aoti"));
        one.compiled_is_exact = std::all_of(
            call.at("aoti").begin(), call.at("aoti").end(),
            [](const auto& output) { return output.value("max_abs_diff_to_eager", 1.0) == 0.0; });
      }
      result.calls.push_back(std::move(one));
    }
  }
  return result;
}

}  // namespace executorch::exports
