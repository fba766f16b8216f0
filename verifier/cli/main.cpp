#include <cstdlib>
#include <exception>
#include <iostream>
#include <malloc.h>
#include <string>
#include <vector>

#include "verifier/cli/dispatch.h"
#include "verifier/foreign/worker.h"
#include "verifier/report/report.h"

int main(int argc, char** argv) {
  if (const auto worker = wheelcheck::run_lief_worker_if_asked(argc, argv)) return *worker;
  // libzip turns the time of every member into local time, and without TZ the C library looks at
  // /etc/localtime each time. Nothing that is printed depends on the zone.
  setenv("TZ", "UTC0", 1);
#ifdef __GLIBC__
  // Windows of archives and texts come and go all the time. Giving them back to the system each
  // time costs a page fault for every page when the next one comes.
  constexpr int kKept = 32 << 20;
  mallopt(M_MMAP_THRESHOLD, kKept);
  mallopt(M_TRIM_THRESHOLD, kKept);
#endif
  try {
    return wheelcheck::cli::dispatch(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    std::cerr << "wheelcheck: internal error: " << error.what()
              << "\nThis is a defect of wheelcheck, not of the wheel; nothing can be said of it.\n";
  }
  return wheelcheck::kExitBug;
}
