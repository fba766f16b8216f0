#pragma once

#include <cstdint>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <executorch/runtime/core/result.h>
#include <executorch/runtime/core/tag.h>
#include <executorch/runtime/platform/assert.h>
#include <memory>
#include <new>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

namespace executorch::runtime {

struct EValue;

/// A list whose elements are values of a program, so that they can change between two uses.
/// get() reads them into an array of the caller's and returns a view of it.
template <typename T>
class BoxedEvalueList {
 public:
  BoxedEvalueList() = default;

  /// `size` values, and room for as many T. Both have to outlive the list. A null entry of
  /// `wrapped_vals` reads as nullopt in a list of optionals and is an error in any other.
  BoxedEvalueList(EValue** wrapped_vals, T* unwrapped_vals, int size)
      : wrapped_(wrapped_vals), unwrapped_(unwrapped_vals), size_(static_cast<size_t>(size)) {
    ET_CHECK_MSG(wrapped_vals != nullptr && unwrapped_vals != nullptr && size >= 0,
                 "a list of %d values at %p, room at %p", size, static_cast<void*>(wrapped_vals),
                 static_cast<void*>(unwrapped_vals));
  }

  /// The elements. A value that is no T ends the process.
  ArrayRef<T> get() const;
  /// The elements; InvalidType when a value is no T, InvalidState when an entry is null.
  Result<ArrayRef<T>> tryGet() const;

  /// Destroys what the last get() left behind.
  void destroy_elements() {
    for (size_t i = 0; i < size_; ++i) {
      unwrapped_[i].~T();
    }
  }

 private:
  EValue** wrapped_ = nullptr;
  T* unwrapped_ = nullptr;
  size_t size_ = 0;
};

namespace internal {

template <typename T>
struct is_optional : std::false_type {};
template <typename T>
struct is_optional<std::optional<T>> : std::true_type {};

// What EValue::to<T>() returns: a reference for tensors, a value for the rest.
template <typename T>
using evalue_const_return_t =
    std::conditional_t<std::is_same_v<T, etensor::Tensor>, const etensor::Tensor&, T>;
template <typename T>
using evalue_return_t = std::conditional_t<std::is_same_v<T, etensor::Tensor>, etensor::Tensor&, T>;

}  // namespace internal

/// A value of a program: nothing, a number, a tensor, a string or a list. Strings and lists are
/// pointers to objects that have to outlive it.
///
/// toX() reads a value that is known to be an X, and ends the process if it isn't. tryToX()
/// returns InvalidType then, and InvalidState for a null list.
struct EValue {
  union Payload {
    union TriviallyCopyablePayload {
      TriviallyCopyablePayload() : as_int(0) {}
      int64_t as_int;
      double as_double;
      bool as_bool;
      ArrayRef<char>* as_string_ptr;
      ArrayRef<double>* as_double_list_ptr;
      ArrayRef<bool>* as_bool_list_ptr;
      BoxedEvalueList<int64_t>* as_int_list_ptr;
      BoxedEvalueList<etensor::Tensor>* as_tensor_list_ptr;
      BoxedEvalueList<std::optional<etensor::Tensor>>* as_list_optional_tensor_ptr;
    } copyable_union;
    etensor::Tensor as_tensor;

    Payload() : copyable_union() {}
    ~Payload() {}
  };

  Payload payload;
  Tag tag;

  /// Nothing.
  EValue() : tag(Tag::None) {}
  EValue(const EValue& other) : tag(other.tag) { copy_payload(other); }
  EValue(EValue&& other) noexcept : tag(other.tag) {
    copy_payload(other);
    other.become_none();
  }
  EValue& operator=(const EValue& other) & {
    if (this != &other) {
      destroy_elements();
      tag = other.tag;
      copy_payload(other);
    }
    return *this;
  }
  EValue& operator=(EValue&& other) & noexcept {
    if (this != &other) {
      destroy_elements();
      tag = other.tag;
      copy_payload(other);
      other.become_none();
    }
    return *this;
  }
  ~EValue() { destroy_elements(); }

  /* implicit */ EValue(int64_t i) : tag(Tag::Int) { payload.copyable_union.as_int = i; }
  /* implicit */ EValue(double d) : tag(Tag::Double) { payload.copyable_union.as_double = d; }
  /* implicit */ EValue(bool b) : tag(Tag::Bool) { payload.copyable_union.as_bool = b; }
  /* implicit */ EValue(etensor::Scalar s) {
    if (s.isBoolean()) {
      tag = Tag::Bool;
      payload.copyable_union.as_bool = s.to<bool>();
    } else if (s.isFloatingPoint()) {
      tag = Tag::Double;
      payload.copyable_union.as_double = s.to<double>();
    } else {
      tag = Tag::Int;
      payload.copyable_union.as_int = s.to<int64_t>();
    }
  }
  /* implicit */ EValue(etensor::Tensor t) : tag(Tag::Tensor) {
    new (&payload.as_tensor) etensor::Tensor(t);
  }
  // Lists and strings: not null.
  /* implicit */ EValue(ArrayRef<char>* s) : tag(Tag::String) {
    payload.copyable_union.as_string_ptr = not_null(s);
  }
  /* implicit */ EValue(ArrayRef<bool>* list) : tag(Tag::ListBool) {
    payload.copyable_union.as_bool_list_ptr = not_null(list);
  }
  /* implicit */ EValue(ArrayRef<double>* list) : tag(Tag::ListDouble) {
    payload.copyable_union.as_double_list_ptr = not_null(list);
  }
  /* implicit */ EValue(BoxedEvalueList<int64_t>* list) : tag(Tag::ListInt) {
    payload.copyable_union.as_int_list_ptr = not_null(list);
  }
  /* implicit */ EValue(BoxedEvalueList<etensor::Tensor>* list) : tag(Tag::ListTensor) {
    payload.copyable_union.as_tensor_list_ptr = not_null(list);
  }
  /* implicit */ EValue(BoxedEvalueList<std::optional<etensor::Tensor>>* list)
      : tag(Tag::ListOptionalTensor) {
    payload.copyable_union.as_list_optional_tensor_ptr = not_null(list);
  }
  /// What a smart pointer (TensorPtr, unique_ptr<EValue>, ...) points to; not null.
  template <typename T, typename = std::enable_if_t<std::is_convertible_v<
                            decltype(*std::forward<T>(std::declval<T>())), EValue>>>
  /* implicit */ EValue(T&& pointer) : tag(Tag::None) {
    ET_CHECK_MSG(pointer != nullptr, "%s", "a null pointer can't become an EValue");
    *this = EValue(*std::forward<T>(pointer));
  }
  /// A raw pointer to anything else would silently become a bool.
  template <typename T>
  explicit EValue(T* value) = delete;

  bool isNone() const { return tag == Tag::None; }
  bool isInt() const { return tag == Tag::Int; }
  bool isDouble() const { return tag == Tag::Double; }
  bool isBool() const { return tag == Tag::Bool; }
  bool isScalar() const { return isInt() || isDouble() || isBool(); }
  bool isTensor() const { return tag == Tag::Tensor; }
  bool isString() const { return tag == Tag::String; }
  bool isIntList() const { return tag == Tag::ListInt; }
  bool isBoolList() const { return tag == Tag::ListBool; }
  bool isDoubleList() const { return tag == Tag::ListDouble; }
  bool isTensorList() const { return tag == Tag::ListTensor; }
  bool isListOptionalTensor() const { return tag == Tag::ListOptionalTensor; }

  int64_t toInt() const {
    check(Tag::Int);
    return payload.copyable_union.as_int;
  }
  double toDouble() const {
    check(Tag::Double);
    return payload.copyable_union.as_double;
  }
  bool toBool() const {
    check(Tag::Bool);
    return payload.copyable_union.as_bool;
  }
  etensor::Scalar toScalar() const {
    ET_CHECK_MSG(isScalar(), "the EValue is %s, not a number", tag_to_string(tag));
    return scalar();
  }
  etensor::Tensor toTensor() && {
    check(Tag::Tensor);
    const etensor::Tensor tensor = payload.as_tensor;
    become_none();
    return tensor;
  }
  etensor::Tensor& toTensor() & {
    check(Tag::Tensor);
    return payload.as_tensor;
  }
  const etensor::Tensor& toTensor() const& {
    check(Tag::Tensor);
    return payload.as_tensor;
  }
  std::string_view toString() const {
    check(Tag::String);
    const ArrayRef<char>& string = *not_null(payload.copyable_union.as_string_ptr);
    return {string.data(), string.size()};
  }
  ArrayRef<int64_t> toIntList() const {
    check(Tag::ListInt);
    return not_null(payload.copyable_union.as_int_list_ptr)->get();
  }
  ArrayRef<bool> toBoolList() const {
    check(Tag::ListBool);
    return *not_null(payload.copyable_union.as_bool_list_ptr);
  }
  ArrayRef<double> toDoubleList() const {
    check(Tag::ListDouble);
    return *not_null(payload.copyable_union.as_double_list_ptr);
  }
  ArrayRef<etensor::Tensor> toTensorList() const {
    check(Tag::ListTensor);
    return not_null(payload.copyable_union.as_tensor_list_ptr)->get();
  }
  ArrayRef<std::optional<etensor::Tensor>> toListOptionalTensor() const {
    check(Tag::ListOptionalTensor);
    return not_null(payload.copyable_union.as_list_optional_tensor_ptr)->get();
  }
  // Programs carry these as integers.
  etensor::ScalarType toScalarType() const { return static_cast<etensor::ScalarType>(toInt()); }
  etensor::MemoryFormat toMemoryFormat() const {
    return static_cast<etensor::MemoryFormat>(toInt());
  }
  etensor::Layout toLayout() const { return static_cast<etensor::Layout>(toInt()); }
  etensor::Device toDevice() const { return {static_cast<etensor::DeviceType>(toInt()), -1}; }

  Result<int64_t> tryToInt() const {
    return isInt() ? Result<int64_t>(payload.copyable_union.as_int) : Error::InvalidType;
  }
  Result<double> tryToDouble() const {
    return isDouble() ? Result<double>(payload.copyable_union.as_double) : Error::InvalidType;
  }
  Result<bool> tryToBool() const {
    return isBool() ? Result<bool>(payload.copyable_union.as_bool) : Error::InvalidType;
  }
  Result<etensor::Scalar> tryToScalar() const {
    return isScalar() ? Result<etensor::Scalar>(scalar()) : Error::InvalidType;
  }
  Result<etensor::Tensor> tryToTensor() const {
    return isTensor() ? Result<etensor::Tensor>(payload.as_tensor) : Error::InvalidType;
  }
  Result<std::string_view> tryToString() const {
    const Error error = pointer_error(Tag::String, payload.copyable_union.as_string_ptr);
    return error == Error::Ok ? Result<std::string_view>(toString()) : error;
  }
  Result<ArrayRef<int64_t>> tryToIntList() const {
    const Error error = pointer_error(Tag::ListInt, payload.copyable_union.as_int_list_ptr);
    return error == Error::Ok ? payload.copyable_union.as_int_list_ptr->tryGet() : error;
  }
  Result<ArrayRef<bool>> tryToBoolList() const {
    const Error error = pointer_error(Tag::ListBool, payload.copyable_union.as_bool_list_ptr);
    return error == Error::Ok ? Result<ArrayRef<bool>>(toBoolList()) : error;
  }
  Result<ArrayRef<double>> tryToDoubleList() const {
    const Error error = pointer_error(Tag::ListDouble, payload.copyable_union.as_double_list_ptr);
    return error == Error::Ok ? Result<ArrayRef<double>>(toDoubleList()) : error;
  }
  Result<ArrayRef<etensor::Tensor>> tryToTensorList() const {
    const Error error = pointer_error(Tag::ListTensor, payload.copyable_union.as_tensor_list_ptr);
    return error == Error::Ok ? payload.copyable_union.as_tensor_list_ptr->tryGet() : error;
  }
  Result<ArrayRef<std::optional<etensor::Tensor>>> tryToListOptionalTensor() const {
    const Error error =
        pointer_error(Tag::ListOptionalTensor, payload.copyable_union.as_list_optional_tensor_ptr);
    return error == Error::Ok ? payload.copyable_union.as_list_optional_tensor_ptr->tryGet()
                              : error;
  }
  Result<etensor::ScalarType> tryToScalarType() const { return try_cast<etensor::ScalarType>(); }
  Result<etensor::MemoryFormat> tryToMemoryFormat() const {
    return try_cast<etensor::MemoryFormat>();
  }
  Result<etensor::Layout> tryToLayout() const { return try_cast<etensor::Layout>(); }
  Result<etensor::Device> tryToDevice() const {
    return isInt() ? Result<etensor::Device>(toDevice()) : Error::InvalidType;
  }

  /// The value as a T: a type that a toX() returns, or a std::optional of one.
  template <typename T>
  T to() && {
    return static_cast<const EValue&>(*this).template to<T>();
  }
  template <typename T>
  internal::evalue_const_return_t<T> to() const&;
  template <typename T>
  internal::evalue_return_t<T> to() & {
    if constexpr (std::is_same_v<T, etensor::Tensor>) {
      return toTensor();
    } else {
      return static_cast<const EValue&>(*this).template to<T>();
    }
  }
  /// The same, with an error instead of the end of the process.
  template <typename T>
  Result<T> tryTo() const;

  /// nullopt for nothing, else the value as a T.
  template <typename T>
  std::optional<T> toOptional() const {
    return isNone() ? std::nullopt : std::optional<T>(to<T>());
  }
  template <typename T>
  Result<std::optional<T>> tryToOptional() const {
    if (isNone()) {
      return std::optional<T>();
    }
    Result<T> value = tryTo<T>();
    if (!value.ok()) {
      return value.error();
    }
    return std::optional<T>(std::move(*value));
  }

 private:
  template <typename T>
  static T* not_null(T* pointer) {
    ET_CHECK_MSG(pointer != nullptr, "%s", "the string or list of an EValue is null");
    return pointer;
  }
  void check(Tag expected) const {
    ET_CHECK_MSG(tag == expected, "the EValue is %s, not %s", tag_to_string(tag),
                 tag_to_string(expected));
  }
  Error pointer_error(Tag expected, const void* pointer) const {
    if (tag != expected) {
      return Error::InvalidType;
    }
    return pointer == nullptr ? Error::InvalidState : Error::Ok;
  }
  template <typename T>
  Result<T> try_cast() const {
    return isInt() ? Result<T>(static_cast<T>(payload.copyable_union.as_int)) : Error::InvalidType;
  }
  etensor::Scalar scalar() const {
    if (isInt()) {
      return payload.copyable_union.as_int;
    }
    return isDouble() ? etensor::Scalar(payload.copyable_union.as_double)
                      : etensor::Scalar(payload.copyable_union.as_bool);
  }
  void copy_payload(const EValue& other) {
    if (other.isTensor()) {
      new (&payload.as_tensor) etensor::Tensor(other.payload.as_tensor);
    } else {
      payload.copyable_union = other.payload.copyable_union;
    }
  }
  void become_none() noexcept {
    payload.copyable_union.as_int = 0;
    tag = Tag::None;
  }
  void destroy_elements() {
    if (isTensorList() && payload.copyable_union.as_tensor_list_ptr != nullptr) {
      payload.copyable_union.as_tensor_list_ptr->destroy_elements();
    } else if (isListOptionalTensor() &&
               payload.copyable_union.as_list_optional_tensor_ptr != nullptr) {
      payload.copyable_union.as_list_optional_tensor_ptr->destroy_elements();
    }
  }
};

// A type that to<T>() and tryTo<T>() know, with the functions that do it.
#define ET_INTERNAL_EVALUE_TO(T, name)                               \
  template <>                                                        \
  inline internal::evalue_const_return_t<T> EValue::to<T>() const& { \
    return to##name();                                               \
  }                                                                  \
  template <>                                                        \
  inline Result<T> EValue::tryTo<T>() const {                        \
    return tryTo##name();                                            \
  }
// The same for T and std::optional<T>.
#define ET_INTERNAL_EVALUE_TO_BOTH(T, name)                                 \
  ET_INTERNAL_EVALUE_TO(T, name)                                            \
  template <>                                                               \
  inline std::optional<T> EValue::to<std::optional<T>>() const& {           \
    return toOptional<T>();                                                 \
  }                                                                         \
  template <>                                                               \
  inline Result<std::optional<T>> EValue::tryTo<std::optional<T>>() const { \
    return tryToOptional<T>();                                              \
  }
ET_INTERNAL_EVALUE_TO_BOTH(int64_t, Int)
ET_INTERNAL_EVALUE_TO_BOTH(double, Double)
ET_INTERNAL_EVALUE_TO_BOTH(bool, Bool)
ET_INTERNAL_EVALUE_TO_BOTH(etensor::Scalar, Scalar)
ET_INTERNAL_EVALUE_TO_BOTH(std::string_view, String)
ET_INTERNAL_EVALUE_TO_BOTH(etensor::ScalarType, ScalarType)
ET_INTERNAL_EVALUE_TO_BOTH(etensor::MemoryFormat, MemoryFormat)
ET_INTERNAL_EVALUE_TO_BOTH(etensor::Layout, Layout)
ET_INTERNAL_EVALUE_TO_BOTH(etensor::Device, Device)
ET_INTERNAL_EVALUE_TO_BOTH(etensor::Tensor, Tensor)
ET_INTERNAL_EVALUE_TO_BOTH(ArrayRef<int64_t>, IntList)
ET_INTERNAL_EVALUE_TO_BOTH(ArrayRef<double>, DoubleList)
ET_INTERNAL_EVALUE_TO_BOTH(ArrayRef<bool>, BoolList)
ET_INTERNAL_EVALUE_TO_BOTH(ArrayRef<etensor::Tensor>, TensorList)
ET_INTERNAL_EVALUE_TO(ArrayRef<std::optional<etensor::Tensor>>, ListOptionalTensor)
#undef ET_INTERNAL_EVALUE_TO_BOTH
#undef ET_INTERNAL_EVALUE_TO

template <typename T>
ArrayRef<T> BoxedEvalueList<T>::get() const {
  Result<ArrayRef<T>> elements = tryGet();
  ET_CHECK_MSG(elements.ok(), "a list of %zu values can't be read: %s", size_,
               to_string(elements.error()));
  return *elements;
}

template <typename T>
Result<ArrayRef<T>> BoxedEvalueList<T>::tryGet() const {
  for (size_t i = 0; i < size_; ++i) {
    if constexpr (internal::is_optional<T>::value) {
      if (wrapped_[i] == nullptr) {
        new (&unwrapped_[i]) T(std::nullopt);
        continue;
      }
    }
    if (wrapped_[i] == nullptr) {
      return Error::InvalidState;
    }
    Result<T> element = wrapped_[i]->template tryTo<T>();
    if (!element.ok()) {
      return element.error();
    }
    // The room may be uninitialised. What lay there needs no destruction: every T is trivial to
    // destroy.
    static_assert(std::is_trivially_destructible_v<T>);
    new (&unwrapped_[i]) T(*element);
  }
  return ArrayRef<T>(unwrapped_, size_);
}

}  // namespace executorch::runtime

namespace torch::executor {
using ::executorch::runtime::BoxedEvalueList;
using ::executorch::runtime::EValue;
}  // namespace torch::executor
