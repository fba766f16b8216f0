#include "verifier/archive/checksum.h"

#include <cstdio>
#include <cstdlib>
#include <isa-l.h>
#include <openssl/evp.h>

namespace wheelcheck {

namespace {

// SHA-256 cannot fail on valid arguments; where it does (a crypto library that is set up without
// it, no memory) no result may be shown at all.
void require(bool worked) {
  if (worked) return;
  std::fputs("wheelcheck: SHA-256 is not available from the crypto library\n", stderr);
  std::abort();
}

}  // namespace

std::uint32_t crc32(std::uint32_t before, Bytes bytes) {
  // ISA-L wants a pointer to mutable bytes, and only reads them.
  return crc32_gzip_refl(before,
                         const_cast<unsigned char*>(  // NOLINT
                             reinterpret_cast<const unsigned char*>(bytes.data())),
                         bytes.size());
}

struct Sha256::Context {
  EVP_MD* digest = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  EVP_MD_CTX* state = EVP_MD_CTX_new();
  Context() { require(digest != nullptr && state != nullptr); }
  ~Context() {
    EVP_MD_CTX_free(state);
    EVP_MD_free(digest);
  }
  Context(const Context&) = delete;
  Context& operator=(const Context&) = delete;
};

Sha256::Sha256() : context_(std::make_unique<Context>()) {}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::start() {
  require(EVP_DigestInit_ex(context_->state, context_->digest, nullptr) == 1);
}

void Sha256::update(Bytes bytes) {
  require(EVP_DigestUpdate(context_->state, bytes.data(), bytes.size()) == 1);
}

std::string Sha256::finish() {
  unsigned char raw[32];
  unsigned length = 0;
  require(EVP_DigestFinal_ex(context_->state, raw, &length) == 1 && length == sizeof raw);
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string hex;
  hex.reserve(2 * sizeof raw);
  for (const unsigned char byte : raw) {
    hex += kDigits[byte >> 4];
    hex += kDigits[byte & 15];
  }
  return hex;
}

}  // namespace wheelcheck
