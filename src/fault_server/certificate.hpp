// SPDX-License-Identifier: Apache-2.0
// A certificate for a server that lives as long as a test does.
#pragma once

#include <string>

namespace relent::testing::faults {

/// A private key and its self-signed certificate, as PEM.
struct certificate {
  std::string pem;
  std::string key_pem;
};

/// EC P-256, for localhost, 127.0.0.1, ::1 and `address`; valid from yesterday for a year. Throws std::runtime_error
/// if OpenSSL cannot make one.
certificate make_certificate(const std::string& address);

/// A file in the folder for temporary files, which goes with the object.
class certificate_file {
 public:
  certificate_file() = default;
  /// Throws std::system_error if it cannot be written.
  explicit certificate_file(const std::string& pem);
  ~certificate_file();
  certificate_file(const certificate_file&) = delete;
  certificate_file& operator=(const certificate_file&) = delete;

  const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

}  // namespace relent::testing::faults
