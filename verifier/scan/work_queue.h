#pragma once

#include <cstddef>
#include <functional>

namespace wheelcheck {

/// Runs `make_worker()(i)` for every i in [0, count), each once, in ascending order of starting, on
/// up to `threads` threads (0: one per processor), the caller's among them. Every thread makes a
/// worker of its own first. Returns when all are done. The first exception thrown by any of them is
/// thrown again here, once all have stopped; what had not been started is left undone.
void run_in_parallel(std::size_t count, unsigned threads,
                     const std::function<std::function<void(std::size_t)>()>& make_worker);

}  // namespace wheelcheck
