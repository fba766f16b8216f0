#include "runtime/runner/inputs.h"

#include <cstring>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <fstream>
#include <iterator>
#include <random>

namespace executorch::runner {

namespace {

std::string read_input(const std::string& path, std::size_t index,
                       std::vector<std::uint8_t>& data) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return path + " can't be read";
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file),
                                std::istreambuf_iterator<char>()};
  if (bytes.size() != data.size()) {
    return "input " + std::to_string(index) + " needs " + std::to_string(data.size()) + " bytes, " +
           path + " has " + std::to_string(bytes.size());
  }
  std::memcpy(data.data(), bytes.data(), bytes.size());
  return {};
}

// Numbers that suit most models: in [0, 1), and for integers 0 or 1, which are valid indices.
bool fill_randomly(aten::ScalarType type, std::mt19937_64& generator,
                   std::vector<std::uint8_t>& data) {
  std::uniform_real_distribution<float> real(0.F, 1.F);
  const auto fill = [&]<typename T>(T /*element*/, auto next) {
    for (std::size_t i = 0; i + sizeof(T) <= data.size(); i += sizeof(T)) {
      const T element = static_cast<T>(next());
      std::memcpy(data.data() + i, &element, sizeof element);
    }
    return true;
  };
  const auto bit = [&] { return static_cast<int>(generator() & 1U); };
  switch (type) {
    case aten::ScalarType::Float:
      return fill(float{}, [&] { return real(generator); });
    case aten::ScalarType::Double:
      return fill(double{}, [&] { return real(generator); });
    case aten::ScalarType::Half:
      return fill(aten::Half{}, [&] { return real(generator); });
    case aten::ScalarType::BFloat16:
      return fill(aten::BFloat16{}, [&] { return real(generator); });
    case aten::ScalarType::Long:
      return fill(std::int64_t{}, bit);
    case aten::ScalarType::Int:
      return fill(std::int32_t{}, bit);
    case aten::ScalarType::Short:
      return fill(std::int16_t{}, bit);
    case aten::ScalarType::Byte:
    case aten::ScalarType::Char:
    case aten::ScalarType::Bool:
      return fill(std::uint8_t{}, bit);
    default:
      return false;
  }
}

}  // namespace

std::string make_inputs(const runtime::MethodMeta& method, const Options& options, Inputs& inputs) {
  std::mt19937_64 generator(options.seed);
  std::size_t files = 0;
  for (std::size_t i = 0; i < method.num_inputs(); ++i) {
    const auto tag = method.input_tag(i);
    if (!tag.ok() || *tag != runtime::Tag::Tensor) {
      if (!tag.ok() || *tag != runtime::Tag::None) {
        return "input " + std::to_string(i) + " is no tensor: its value is part of the program, " +
               "and executor_runner does not know it";
      }
      inputs.values.emplace_back();
      continue;
    }
    const auto info = method.input_tensor_meta(i);
    if (!info.ok()) return "the size of input " + std::to_string(i) + " can't be told";
    std::vector<std::uint8_t> data(info->nbytes());
    if (options.inputs.empty()) {
      if (!fill_randomly(info->scalar_type(), generator, data)) {
        return "input " + std::to_string(i) + " has elements of type " +
               runtime::toString(info->scalar_type()) + ": give a file with --inputs";
      }
    } else {
      if (files == options.inputs.size()) return "there are fewer --inputs than inputs";
      std::string wrong = read_input(options.inputs[files++], i, data);
      if (!wrong.empty()) return wrong;
    }
    const auto sizes = info->sizes();
    const auto order = info->dim_order();
    inputs.tensors.push_back(
        extension::make_tensor_ptr({sizes.begin(), sizes.end()}, std::move(data),
                                   {order.begin(), order.end()}, {}, info->scalar_type()));
    inputs.values.emplace_back(inputs.tensors.back());
  }
  if (files != options.inputs.size()) return "there are more --inputs than inputs";
  return {};
}

}  // namespace executorch::runner
