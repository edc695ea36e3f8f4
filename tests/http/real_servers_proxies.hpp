// SPDX-License-Identifier: Apache-2.0
// nginx and HAProxy in front of another server, each with a configuration of a few lines.
#pragma once

#include <string>
#include <vector>

#include "real_servers_program.hpp"
#include "src/fault_server/certificate.hpp"

namespace relent::test {

/// cert.pem and key.pem of a certificate that nobody knows.
inline void write_certificate(const scratch_folder& folder) {
  const testing::faults::certificate made = testing::faults::make_certificate("127.0.0.1");
  folder.write("cert.pem", made.pem);
  folder.write("key.pem", made.key_pem);
}

/// How a proxy is set up.
struct proxy_setup {
  std::uint16_t behind = 0;  ///< the port of the server behind it
  int requests_a_connection = 1000;
  bool http2 = false;     ///< towards the client, over TLS; nginx only
  int patience_ms = 400;  ///< with the server behind
};

inline std::string nginx_configuration(const proxy_setup& setup, std::uint16_t port,
                                       const std::string& folder) {
  std::string out = R"(daemon off;
master_process off;
worker_processes 1;
pid FOLDER/pid;
error_log stderr warn;
events { worker_connections 256; }
http {
  access_log off;
  client_body_temp_path FOLDER/body;
  proxy_temp_path FOLDER/proxy;
  fastcgi_temp_path FOLDER/fastcgi;
  uwsgi_temp_path FOLDER/uwsgi;
  scgi_temp_path FOLDER/scgi;
  keepalive_requests REQUESTS;
  client_max_body_size 64m;
  server {
    listen 127.0.0.1:PORT;
    location / {
      proxy_pass http://127.0.0.1:BEHIND;
      proxy_http_version 1.1;
      proxy_next_upstream off;
      proxy_read_timeout PATIENCEms;
    }
  }
}
)";
  const auto put = [&out](const std::string& name, const std::string& value) {
    for (std::size_t at = out.find(name); at != std::string::npos; at = out.find(name))
      out.replace(at, name.size(), value);
  };
  put("FOLDER", folder);
  put("REQUESTS", std::to_string(setup.requests_a_connection));
  put("PORT;",
      std::to_string(port) +
          (setup.http2 ? " ssl http2; ssl_certificate cert.pem; ssl_certificate_key key.pem;" : ";"));
  put("BEHIND", std::to_string(setup.behind));
  put("PATIENCE", std::to_string(setup.patience_ms));
  return out;
}

inline server_program::command_for nginx(const std::string& program, const proxy_setup& setup) {
  return [=](std::uint16_t port, const scratch_folder& folder) {
    if (setup.http2) write_certificate(folder);
    folder.write("nginx.conf", nginx_configuration(setup, port, folder.path()));
    return std::vector<std::string>{program, "-p",    folder.path(), "-c", folder.path("nginx.conf"),
                                    "-e",    "stderr"};
  };
}

inline std::string haproxy_configuration(const proxy_setup& setup, std::uint16_t port) {
  return "defaults\n"
         "  mode http\n"
         "  retries 0\n"
         "  timeout connect 2s\n"
         "  timeout client 20s\n"
         "  timeout server " +
         std::to_string(setup.patience_ms) +
         "ms\n"
         "frontend door\n"
         "  bind 127.0.0.1:" +
         std::to_string(port) +
         "\n"
         "  default_backend house\n"
         "backend house\n"
         "  server one 127.0.0.1:" +
         std::to_string(setup.behind) + "\n";
}

inline server_program::command_for haproxy(const std::string& program, const proxy_setup& setup) {
  return [=](std::uint16_t port, const scratch_folder& folder) {
    folder.write("haproxy.cfg", haproxy_configuration(setup, port));
    return std::vector<std::string>{program, "-db", "-f", folder.path("haproxy.cfg")};
  };
}

}  // namespace relent::test
