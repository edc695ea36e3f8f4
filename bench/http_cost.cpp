// SPDX-License-Identifier: Apache-2.0
// http_cost [rounds [size]]: what Relent costs around libcurl. Loopback keep-alive GETs of the same server, over a bare easy
// handle and through relent::curl::client and perform, in turns of a few hundred; prints the time of one GET and the
// ratios, by the median round. Run it alone: the figure is a difference of a few hundred nanoseconds.
#include <relent/curl/client.hpp>
#include <relent/curl/perform.hpp>
#include <relent/testing/fault_server.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

constexpr int gets_in_a_turn = 400;

std::size_t append(char* bytes, std::size_t, std::size_t size, void* to) {
  static_cast<std::string*>(to)->append(bytes, size);
  return size;
}

std::size_t keep_line(char* bytes, std::size_t, std::size_t size, void* to) {
  const std::string_view line(bytes, size);
  if (const std::size_t colon = line.find(':'); colon != std::string_view::npos)
    static_cast<std::vector<std::pair<std::string, std::string>>*>(to)->emplace_back(
        line.substr(0, colon), line.substr(colon + 1, size - colon - 3));
  return size;
}

/// What somebody writes who has no need of retries: one handle, a time-out, the address, a place for the body,
/// the status; and, as every response of ours has them, the headers.
class bare_handle {
 public:
  explicit bare_handle(bool with_headers) {
    curl_easy_setopt(handle_.get(), CURLOPT_WRITEFUNCTION, &append);
    curl_easy_setopt(handle_.get(), CURLOPT_WRITEDATA, &body_);
    curl_easy_setopt(handle_.get(), CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle_.get(), CURLOPT_TIMEOUT_MS, 30'000L);
    if (!with_headers) return;
    curl_easy_setopt(handle_.get(), CURLOPT_HEADERFUNCTION, &keep_line);
    curl_easy_setopt(handle_.get(), CURLOPT_HEADERDATA, &headers_);
  }
  CURL* get() { return handle_.get(); }
  void prepare(const std::string& url) {
    body_.clear();
    headers_.clear();
    curl_easy_setopt(handle_.get(), CURLOPT_URL, url.c_str());
  }
  bool fetch(const std::string& url) {
    prepare(url);
    long status = 0;
    return curl_easy_perform(handle_.get()) == CURLE_OK &&
           curl_easy_getinfo(handle_.get(), CURLINFO_RESPONSE_CODE, &status) == CURLE_OK && status == 200;
  }

 private:
  std::unique_ptr<CURL, void (*)(CURL*)> handle_{curl_easy_init(), &curl_easy_cleanup};
  std::string body_;
  std::vector<std::pair<std::string, std::string>> headers_;
};

/// Nanoseconds for one GET.
template <class Get>
double turn(Get&& get) {
  const auto began = std::chrono::steady_clock::now();
  for (int i = 0; i < gets_in_a_turn; ++i)
    if (!get()) {
      std::fputs("a request failed\n", stderr);
      std::exit(1);
    }
  const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - began;
  return took.count() / gets_in_a_turn;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2),
                   values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 60;
  const std::string size = argc > 2 ? argv[2] : "1KB";
  const relent::testing::fault_server server({.scripts = {"200(body=" + size + ")"}});
  const std::string url = server.url("/");

  bare_handle bare(false);
  bare_handle performed(false);
  bare_handle keeping(true);
  relent::curl::client client;
  relent::dependency shared({.name = "server"});
  std::vector<double> plain;
  std::vector<double> with_headers;
  std::vector<double> by_client;
  std::vector<double> by_client_over_same;
  std::vector<double> by_perform;
  for (int round = -2; round < rounds; ++round) {  // the first two warm up
    const double a = turn([&] { return bare.fetch(url); });
    const double b = turn([&] { return keeping.fetch(url); });
    const double c = turn([&] { return client.get(url).ok(); });
    const double d = turn([&] {
      performed.prepare(url);
      return relent::curl::perform(performed.get(), shared).ok();
    });
    if (round < 0) continue;
    plain.push_back(a);
    with_headers.push_back(b / a);
    by_client.push_back(c / a);
    by_client_over_same.push_back(c / b);
    by_perform.push_back(d / a);
  }
  std::printf("bare easy handle, GETs of %-6s %7.0f ns each\n", size.c_str(), median(plain));
  std::printf("  that keeps the headers         %7.3f of it\n", median(with_headers));
  std::printf("relent::curl::perform            %7.3f of it\n", median(by_perform));
  std::printf("relent::curl::client             %7.3f of it, %.3f of the one that keeps the headers\n",
              median(by_client), median(by_client_over_same));
}
