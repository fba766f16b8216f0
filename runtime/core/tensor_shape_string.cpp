#include <algorithm>
#include <charconv>
#include <cstring>
#include <executorch/runtime/core/exec_aten/util/tensor_shape_to_c_string.h>
#include <string_view>

namespace executorch::runtime {
namespace {

using Text = std::array<char, kTensorShapeStringSizeLimit>;

// Appends to a text that always has room: a size takes at most 10 digits and 2 more characters.
class Writer {
 public:
  void put(std::string_view part) {
    std::memcpy(text_.data() + length_, part.data(), part.size());
    length_ += part.size();
  }
  void put(int64_t number) {
    char* const begin = text_.data() + length_;
    length_ +=
        static_cast<size_t>(std::to_chars(begin, text_.data() + text_.size(), number).ptr - begin);
  }
  const Text& text() const { return text_; }

 private:
  Text text_{};
  size_t length_ = 0;
};

template <typename Size>
Text shape_to_string(Span<const Size> shape) {
  Writer writer;
  writer.put("(");
  const bool cut = shape.size() > kTensorDimensionLimit;
  const size_t shown = cut ? kTensorDimensionLimit - 1 : shape.size();
  for (size_t i = 0; i < shown; ++i) {
    if (i != 0) {
      writer.put(", ");
    }
    const int64_t size = shape[i];
    if (size < 0 || size > static_cast<int64_t>(internal::kMaximumPrintableTensorShapeElement)) {
      writer.put("ERR");
    } else {
      writer.put(size);
    }
  }
  writer.put(cut ? ", ...)" : ")");
  return writer.text();
}

}  // namespace

Text tensor_shape_to_c_string(Span<const int32_t> shape) { return shape_to_string(shape); }

Text tensor_shape_to_c_string(Span<const int64_t> shape) { return shape_to_string(shape); }

}  // namespace executorch::runtime
