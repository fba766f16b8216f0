#include "gtest/gtest.h"

#include "verifier/foreign/worker.h"

// For tests that read Mach-O or PE files or cross-check ELF: LIEF's workers are this program.
int main(int argc, char** argv) {
  if (const auto status = wheelcheck::run_lief_worker_if_asked(argc, argv)) return *status;
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}
