// SPDX-License-Identifier: Apache-2.0
// The parts of X.509 that clients look at, by OpenSSL 3.
#include "certificate.hpp"

#include <openssl/bio.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <system_error>

namespace relent::testing::faults {
namespace {

template <auto Free>
struct freed_by {
  template <class T>
  void operator()(T* object) const noexcept {
    Free(object);
  }
};
template <class T, auto Free>
using owned = std::unique_ptr<T, freed_by<Free>>;

void require(bool done) {
  if (!done) throw std::runtime_error("fault_server: OpenSSL could not make a certificate");
}

void add_extension(X509* to, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, to, to, nullptr, nullptr, 0);
  const owned<X509_EXTENSION, X509_EXTENSION_free> extension(
      X509V3_EXT_nconf_nid(nullptr, &context, kind, value.c_str()));
  require(extension != nullptr && X509_add_ext(to, extension.get(), -1) == 1);
}

template <class Write>
std::string as_pem(Write write) {
  const owned<BIO, BIO_free> memory(BIO_new(BIO_s_mem()));
  require(memory != nullptr && write(memory.get()) == 1);
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(memory.get(), &bytes);
  require(size > 0);
  return {bytes, static_cast<std::size_t>(size)};
}

void set_name(X509* to) {
  X509_NAME* const name = X509_get_subject_name(to);
  const auto* const text = reinterpret_cast<const unsigned char*>("localhost");
  require(X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, text, -1, -1, 0) == 1);
  require(X509_set_issuer_name(to, name) == 1);
}

}  // namespace

certificate make_certificate(const std::string& address) {
  const owned<EVP_PKEY, EVP_PKEY_free> key(EVP_EC_gen("P-256"));
  const owned<X509, X509_free> made(X509_new());
  require(key != nullptr && made != nullptr);
  X509* const x509 = made.get();
  std::uint64_t serial = 0;
  require(RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof serial) == 1);
  constexpr long day = 24L * 60 * 60;
  require(X509_set_version(x509, 2) == 1 &&
          ASN1_INTEGER_set_uint64(X509_get_serialNumber(x509), serial >> 1U) == 1);
  require(X509_gmtime_adj(X509_getm_notBefore(x509), -day) != nullptr);
  require(X509_gmtime_adj(X509_getm_notAfter(x509), 365 * day) != nullptr);
  require(X509_set_pubkey(x509, key.get()) == 1);
  set_name(x509);
  std::string names = "DNS:localhost,IP:127.0.0.1,IP:::1";
  if (address != "127.0.0.1" && address != "::1") names += ",IP:" + address;
  add_extension(x509, NID_subject_alt_name, names);
  add_extension(x509, NID_basic_constraints, "critical,CA:FALSE");
  add_extension(x509, NID_key_usage, "critical,digitalSignature");
  add_extension(x509, NID_ext_key_usage, "serverAuth");
  require(X509_sign(x509, key.get(), EVP_sha256()) > 0);
  return {as_pem([&](BIO* to) { return PEM_write_bio_X509(to, x509); }), as_pem([&](BIO* to) {
            return PEM_write_bio_PrivateKey(to, key.get(), nullptr, nullptr, 0, nullptr, nullptr);
          })};
}

certificate_file::certificate_file(const std::string& pem) {
  std::string path = (std::filesystem::temp_directory_path() / "relent-faults-XXXXXX.pem").string();
  const int file = ::mkstemps(path.data(), 4);
  if (file < 0) throw std::system_error(errno, std::generic_category(), "fault_server: " + path);
  const bool whole = ::write(file, pem.data(), pem.size()) == static_cast<ssize_t>(pem.size());
  const int error = errno;
  ::close(file);
  path_ = path;
  if (whole) return;
  ::unlink(path_.c_str());
  throw std::system_error(error, std::generic_category(), "fault_server: " + path_);
}

certificate_file::~certificate_file() {
  if (!path_.empty()) ::unlink(path_.c_str());
}

}  // namespace relent::testing::faults
