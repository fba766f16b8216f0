#pragma once

#include <string>
#include <vector>

#include "verifier/core/result.h"

namespace wheelcheck::worlds {

/// What a program wrote. Both streams of one may go to one text.
struct Written {
  std::string out;
  std::string err;
  int status = 0;  ///< as of waitpid
};

/// Runs programs one after the other and keeps what they write in two files that are used again.
class Runner {
 public:
  struct Request {
    std::string program;                 ///< path
    std::vector<std::string> arguments;  ///< from argv[0] on
    std::vector<std::string> environment;
    std::string directory;
    bool together = false;  ///< errors go where output goes, in order
  };
  Runner();
  ~Runner();
  Runner(const Runner&) = delete;
  Runner& operator=(const Runner&) = delete;

  [[nodiscard]] Result<Written> run(const Request& request);

 private:
  int out_ = -1;
  int err_ = -1;
};

}  // namespace wheelcheck::worlds
