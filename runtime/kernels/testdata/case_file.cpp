#include "runtime/kernels/testdata/case_file.h"

#include <cstdio>
#include <cstdlib>
#include <executorch/runtime/core/exec_aten/util/scalar_type_util.h>
#include <fstream>
#include <sstream>

namespace executorch::kernels::testing {
namespace {

[[noreturn]] void stop(int line, const char* why) {
  std::fprintf(stderr, "%s:%d: %s\n", KERNEL_CASES, line, why);
  std::exit(2);
}

std::vector<uint8_t> from_base64(const std::string& text, int line) {
  std::vector<uint8_t> bytes;
  uint32_t bits = 0;
  int count = 0;
  for (const char c : text) {
    uint32_t value = 0;
    if (c >= 'A' && c <= 'Z') {
      value = static_cast<uint32_t>(c - 'A');
    } else if (c >= 'a' && c <= 'z') {
      value = static_cast<uint32_t>(c - 'a') + 26;
    } else if (c >= '0' && c <= '9') {
      value = static_cast<uint32_t>(c - '0') + 52;
    } else if (c == '+' || c == '/') {
      value = c == '+' ? 62 : 63;
    } else if (c == '=') {
      break;
    } else {
      stop(line, "not base 64");
    }
    bits = (bits << 6) | value;
    count += 6;
    if (count >= 8) {
      count -= 8;
      bytes.push_back(static_cast<uint8_t>(bits >> count));
    }
  }
  return bytes;
}

TensorData read_tensor(const std::vector<std::string>& words, int line) {
  if (words.size() != 5) stop(line, "a tensor has four fields");
  TensorData tensor;
  tensor.type = static_cast<aten::ScalarType>(std::stoi(words[1]));
  size_t count = 1;
  if (words[2] != "-") {
    for (const std::string& size : split(words[2], 'x')) tensor.sizes.push_back(std::stoi(size));
  }
  for (const int32_t size : tensor.sizes) count *= static_cast<size_t>(size);
  for (size_t d = 0; d < tensor.sizes.size(); ++d) {
    tensor.order.push_back(
        words[3] == "=" ? static_cast<uint8_t>(d)
                        : static_cast<uint8_t>(std::stoi(words[3].substr(d, 1), nullptr, 16)));
  }
  if (words[4] != "-") tensor.bytes = from_base64(words[4], line);
  if (tensor.bytes.size() != count * runtime::elementSize(tensor.type)) {
    stop(line, "the bytes do not fill the sizes");
  }
  return tensor;
}

CaseFile read() {
  CaseFile file;
  std::ifstream stream(KERNEL_CASES);
  std::string text;
  int number = 0;
  while (std::getline(stream, text)) {
    ++number;
    const std::vector<std::string> words = split(text, ' ');
    if (words[0] == "torch" && words.size() == 2) {
      file.torch_version = words[1];
    } else if (words[0] == "t") {
      file.tensors.push_back(read_tensor(words, number));
    } else if ((words[0] == "c" || words[0] == "f") && words.size() > 3) {
      Case one;
      one.line = number;
      one.refused = words[0] == "f";
      size_t i = 2;
      if (!one.refused) one.check = words[i++];
      while (i < words.size() && words[i] != ">") one.arguments.push_back(words[i++]);
      for (++i; i < words.size(); ++i) one.expected.push_back(words[i]);
      if (one.expected.empty()) stop(number, "nothing is expected");
      file.cases[words[1]].push_back(one);
    } else {
      stop(number, "not a line of this file");
    }
  }
  if (file.cases.empty()) stop(number, "there are no cases");
  return file;
}

}  // namespace

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  std::string part;
  while (std::getline(stream, part, separator)) parts.push_back(part);
  return parts;
}

const CaseFile& case_file() {
  static const CaseFile file = read();
  return file;
}

}  // namespace executorch::kernels::testing
