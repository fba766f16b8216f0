#pragma once

#include <optional>

namespace wheelcheck {

/// LIEF runs in processes of their own (see child.h), which are this program once more. So main()
/// calls this before anything else, and returns the value if there is one.
[[nodiscard]] std::optional<int> run_lief_worker_if_asked(int argc, char** argv);

}  // namespace wheelcheck
