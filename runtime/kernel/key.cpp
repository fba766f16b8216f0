#include <charconv>
#include <cstring>
#include <executorch/runtime/kernel/operator_registry.h>
#include <string_view>

namespace executorch::runtime::internal {
namespace {

// Appends to a buffer until it is full; ok() says whether everything fitted, the NUL included.
class Writer {
 public:
  Writer(char* begin, size_t size) : next_(begin), end_(begin + size) {}

  void put(std::string_view text) {
    if (static_cast<size_t>(end_ - next_) < text.size()) {
      next_ = end_;
      ok_ = false;
      return;
    }
    std::memcpy(next_, text.data(), text.size());
    next_ += text.size();
  }
  void put(int number) {
    const auto result = std::to_chars(next_, end_, number);
    ok_ = ok_ && result.ec == std::errc();
    next_ = result.ptr;
  }
  bool ok() const { return ok_; }

 private:
  char* next_;
  char* end_;
  bool ok_ = true;
};

}  // namespace

Error make_kernel_key_string(Span<const TensorMeta> key, char* buf, size_t buf_size) {
  if (key.empty()) {
    // No tensors: the fallback's key.
    if (buf_size > 0) {
      buf[0] = '\0';
    }
    return Error::Ok;
  }
  Writer writer(buf, buf_size);
  writer.put("v1/");
  for (size_t i = 0; i < key.size(); ++i) {
    writer.put(i == 0 ? "" : "|");
    writer.put(static_cast<int>(key[i].dtype_));
    writer.put(";");
    for (size_t d = 0; d < key[i].dim_order_.size(); ++d) {
      writer.put(d == 0 ? "" : ",");
      writer.put(int{key[i].dim_order_[d]});
    }
  }
  writer.put(std::string_view("\0", 1));
  return writer.ok() ? Error::Ok : Error::InvalidArgument;
}

}  // namespace executorch::runtime::internal
