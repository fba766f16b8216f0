#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <typeindex>

namespace wheelcheck {

/// What several rules need of one wheel and is costly to find out: made when it is first asked
/// for, kept as long as the context. One of each type. Rules run on several threads: who asks while
/// another makes it waits for that one. `make` may ask for other types, not for its own.
class Memo {
 public:
  template <class T, class Make>
  const T& get(Make make) {
    Slot& slot = slot_of(std::type_index(typeid(T)));
    std::call_once(slot.made, [&] { slot.value = std::make_shared<const T>(make()); });
    return *static_cast<const T*>(slot.value.get());
  }

 private:
  struct Slot {
    std::once_flag made;
    std::shared_ptr<const void> value;
  };
  Slot& slot_of(std::type_index type) {
    const std::lock_guard lock(mutex_);
    return slots_[type];  // a map's elements stay where they are
  }

  std::mutex mutex_;
  std::map<std::type_index, Slot> slots_;
};

}  // namespace wheelcheck
