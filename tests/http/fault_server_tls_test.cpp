// SPDX-License-Identifier: Apache-2.0
// The same faults under TLS, where the way in which a connection ends says more.
#include <gtest/gtest.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/stat.h>

#include <chrono>
#include <fstream>
#include <memory>
#include <relent/testing/fault_server.hpp>
#include <sstream>
#include <string>

#include "http/fault_server_client.hpp"

namespace relent::testing {
namespace {

using namespace std::chrono_literals;

enum class tls_end { untrusted, handshake_failed, open, close_notify, cut, reset };

/// A client that trusts the server's certificate, and nothing else.
class tls_client {
 public:
  tls_client(const fault_server& server, const std::string& trusted, const char* name = "localhost")
      : raw_(server.port()), context_(SSL_CTX_new(TLS_client_method()), SSL_CTX_free) {
    if (!trusted.empty()) SSL_CTX_load_verify_locations(context_.get(), trusted.c_str(), nullptr);
    SSL_CTX_set_verify(context_.get(), SSL_VERIFY_PEER, nullptr);
    ssl_.reset(SSL_new(context_.get()));
    SSL_set_fd(ssl_.get(), raw_.descriptor());
    SSL_set1_host(ssl_.get(), name);
    ERR_clear_error();
    if (SSL_connect(ssl_.get()) != 1)
      end_ = SSL_get_verify_result(ssl_.get()) != X509_V_OK ? tls_end::untrusted : tls_end::handshake_failed;
  }

  void get(const std::string& target) {
    const std::string request = "GET " + target + " HTTP/1.1\r\nHost: localhost\r\n\r\n";
    (void)SSL_write(ssl_.get(), request.data(), static_cast<int>(request.size()));
  }

  /// Up to the end of the connection.
  std::string read_all() {
    std::string out;
    while (end_ == tls_end::open) {
      char bytes[16384];
      ERR_clear_error();
      const int count = SSL_read(ssl_.get(), bytes, sizeof bytes);
      if (count > 0) out.append(bytes, static_cast<std::size_t>(count));
      if (count <= 0) note_end(count);
    }
    return out;
  }

  std::string read(std::size_t size) {
    std::string out(size, ' ');
    const int count = SSL_read(ssl_.get(), out.data(), static_cast<int>(size));
    out.resize(static_cast<std::size_t>(count < 0 ? 0 : count));
    return out;
  }

  tls_end end() const { return end_; }

 private:
  void note_end(int count) {
    switch (SSL_get_error(ssl_.get(), count)) {
      case SSL_ERROR_ZERO_RETURN: end_ = tls_end::close_notify; return;
      case SSL_ERROR_SSL:
        EXPECT_EQ(ERR_GET_REASON(ERR_peek_error()), SSL_R_UNEXPECTED_EOF_WHILE_READING);
        end_ = tls_end::cut;
        return;
      default: end_ = tls_end::reset; return;
    }
  }

  raw_client raw_;
  std::unique_ptr<SSL_CTX, decltype(&SSL_CTX_free)> context_;
  std::unique_ptr<SSL, decltype(&SSL_free)> ssl_{nullptr, SSL_free};
  tls_end end_ = tls_end::open;
};

struct tls_row {
  const char* id;
  const char* script;
  std::size_t body_size;
  tls_end end;
};

class fault_under_tls : public ::testing::TestWithParam<tls_row> {};

TEST_P(fault_under_tls, is_what_the_client_sees) {
  fault_server server({.scripts = {GetParam().script}, .tls = true});
  tls_client client(server, server.certificate_file());
  client.get("/");
  EXPECT_EQ(body_of(client.read_all()).size(), GetParam().body_size);
  EXPECT_EQ(client.end(), GetParam().end);
  EXPECT_EQ(server.counts("/").executions, 1U);
}

INSTANTIATE_TEST_SUITE_P(
    fault_server, fault_under_tls,
    ::testing::Values(tls_row{"whole", "200(keep-alive=no)", 3, tls_end::close_notify},
                      tls_row{"unclean", "unclean", 3, tls_end::cut},
                      tls_row{"unclean_body", "unclean(body=1MB)", 1'000'000, tls_end::cut},
                      tls_row{"close", "close", 0, tls_end::close_notify},
                      tls_row{"close_in_the_body", "close(after=100KB)", 100'000, tls_end::close_notify},
                      tls_row{"reset", "reset", 0, tls_end::reset},
                      tls_row{"reset_in_the_body", "reset(after=100KB)", 100'000, tls_end::reset},
                      tls_row{"stall", "stall(after=10, for=1ms)", 10, tls_end::close_notify},
                      tls_row{"malformed", "malformed", 0, tls_end::close_notify}),
    [](const auto& row) { return std::string(row.param.id); });

TEST(fault_server_tls, resets_before_the_handshake) {
  fault_server server({.scripts = {"reset(before=head), 200(keep-alive=no)"}, .tls = true});
  EXPECT_EQ(tls_client(server, server.certificate_file()).end(), tls_end::handshake_failed);
  tls_client second(server, server.certificate_file());
  second.get("/");
  EXPECT_EQ(body_of(second.read_all()), "OK\n");
}

TEST(fault_server_tls, drops_the_next_request_on_a_connection_it_kept) {
  fault_server server({.scripts = {"idle-close"}, .tls = true});
  tls_client client(server, server.certificate_file());
  client.get("/");
  EXPECT_NE(client.read(1000), "");
  client.get("/");
  EXPECT_EQ(client.read_all(), "");
  EXPECT_EQ(server.counts("/").dropped, 1U);
  EXPECT_EQ(server.counts("/").attempts, 1U);
}

TEST(fault_server_tls, has_a_certificate_for_localhost_and_its_address) {
  fault_server server({.tls = true});
  EXPECT_EQ(tls_client(server, server.certificate_file()).end(), tls_end::open);
  EXPECT_EQ(tls_client(server, server.certificate_file(), "example.com").end(), tls_end::untrusted);
  EXPECT_EQ(tls_client(server, "").end(), tls_end::untrusted);
  EXPECT_EQ(server.url("/x"), "https://127.0.0.1:" + std::to_string(server.port()) + "/x");
}

TEST(fault_server_tls, keeps_its_certificate_in_a_file_as_long_as_it_lives) {
  std::string path;
  {
    fault_server server({.tls = true});
    path = server.certificate_file();
    std::ifstream file(path);
    std::ostringstream text;
    text << file.rdbuf();
    EXPECT_EQ(text.str(), server.certificate_pem());
    EXPECT_EQ(text.str().rfind("-----BEGIN CERTIFICATE-----\n", 0), 0U);
  }
  struct stat found {};
  EXPECT_NE(::stat(path.c_str(), &found), 0);
  fault_server plain({});
  EXPECT_EQ(plain.certificate_file(), "");
  EXPECT_EQ(plain.certificate_pem(), "");
}

TEST(fault_server_tls, survives_a_client_that_speaks_no_tls) {
  fault_server server({.tls = true});
  raw_client plain(server.port());
  plain.get("/");
  (void)plain.read_all();
  EXPECT_NE(plain.end(), socket_end::open);
  EXPECT_EQ(tls_client(server, server.certificate_file()).end(), tls_end::open);
}

}  // namespace
}  // namespace relent::testing
