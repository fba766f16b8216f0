#include "rules/moved_symbols.h"

#include <algorithm>
#include <array>

namespace wheelcheck {
namespace {

constexpr std::array<std::string_view, 34> kOfLibrt = {
    "aio_cancel",   "aio_cancel64",     "aio_error",     "aio_error64",  "aio_fsync",
    "aio_fsync64",  "aio_init",         "aio_read",      "aio_read64",   "aio_return",
    "aio_return64", "aio_suspend",      "aio_suspend64", "aio_write",    "aio_write64",
    "lio_listio",   "lio_listio64",     "mq_close",      "mq_getattr",   "mq_notify",
    "mq_open",      "mq_receive",       "mq_send",       "mq_setattr",   "mq_timedreceive",
    "mq_timedsend", "mq_unlink",        "shm_open",      "shm_unlink",   "timer_create",
    "timer_delete", "timer_getoverrun", "timer_gettime", "timer_settime"};

}  // namespace

std::span<const std::string_view> symbols_of_librt() { return kOfLibrt; }

bool is_symbol_of_librt(std::string_view name) {
  return std::binary_search(kOfLibrt.begin(), kOfLibrt.end(), name);
}

}  // namespace wheelcheck
