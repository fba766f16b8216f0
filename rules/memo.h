#pragma once

#include <map>
#include <memory>
#include <typeindex>

namespace wheelcheck {

/// What several rules need of one wheel and is costly to find out: made when it is first asked
/// for, kept as long as the context. One of each type.
class Memo {
 public:
  template <class T, class Make>
  const T& get(Make make) {
    std::shared_ptr<const void>& kept = kept_[std::type_index(typeid(T))];
    if (!kept) kept = std::make_shared<const T>(make());
    return *static_cast<const T*>(kept.get());
  }

 private:
  std::map<std::type_index, std::shared_ptr<const void>> kept_;
};

}  // namespace wheelcheck
