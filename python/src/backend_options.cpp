#include "python/src/backend_options.h"

#include <cstring>
#include <limits>
#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace executorch::python {

namespace {

runtime::BackendOption option_of(const std::string& key, nb::handle value) {
  runtime::BackendOption option;
  if (key.empty() || key.size() >= sizeof(option.key)) {
    throw nb::value_error(("the option's name '" + key + "' is empty or too long").c_str());
  }
  std::memcpy(option.key, key.c_str(), key.size() + 1);
  if (PyBool_Check(value.ptr())) {
    option.value = value.ptr() == Py_True;
  } else if (PyLong_Check(value.ptr())) {
    int overflow = 0;
    const long long number = PyLong_AsLongLongAndOverflow(value.ptr(), &overflow);
    if (overflow != 0 || number < std::numeric_limits<int>::min() ||
        number > std::numeric_limits<int>::max()) {
      throw nb::value_error(("option '" + key + "' is an int of more than 32 bits").c_str());
    }
    option.value = static_cast<int>(number);
  } else if (PyUnicode_Check(value.ptr())) {
    const auto text = nb::cast<std::string>(value);
    std::array<char, runtime::kMaxOptionValueLength> room{};
    // Cut, it would be another option.
    if (text.size() >= room.size()) {
      throw nb::value_error(
          ("option '" + key + "' is longer than " + std::to_string(room.size() - 1) + " bytes")
              .c_str());
    }
    std::memcpy(room.data(), text.data(), text.size());
    option.value = room;
  } else {
    throw nb::type_error(("option '" + key + "' is neither bool, int nor str").c_str());
  }
  return option;
}

}  // namespace

std::vector<runtime::BackendOption> backend_options(const nb::dict& options) {
  std::vector<runtime::BackendOption> result;
  for (const auto& [key, value] : options) {
    result.push_back(option_of(nb::cast<std::string>(key), value));
  }
  return result;
}

BackendOptionsCopy::BackendOptionsCopy(const nb::dict& options) {
  storage_.reserve(options.size());
  for (const auto& [backend, values] : options) {
    const auto id = nb::cast<std::string>(backend);
    if (!PyDict_Check(values.ptr())) {
      throw nb::type_error(("the options of backend '" + id + "' are no dict").c_str());
    }
    storage_.push_back(backend_options(nb::borrow<nb::dict>(values)));
    if (map_.set_options(id.c_str(), {storage_.back().data(), storage_.back().size()}) !=
        runtime::Error::Ok) {
      throw nb::value_error(
          ("too many backends, or a name that can't be one: '" + id + "'").c_str());
    }
  }
}

}  // namespace executorch::python
