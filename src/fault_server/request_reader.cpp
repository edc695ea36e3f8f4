// SPDX-License-Identifier: Apache-2.0
// Beast's parser, told to keep the head and only to count the body.
#include "request_reader.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

namespace relent::testing::faults {

namespace http = boost::beast::http;
using boost::beast::error_code;

class request_reader::parser final : public http::basic_parser<true> {
 public:
  parser() {
    header_limit(static_cast<std::uint32_t>(longest_head));
    body_limit(boost::none);
  }

  request_head head;
  std::uint64_t bytes = 0;
  fingerprint print;
  int version = 11;

 private:
  using text = boost::beast::string_view;
  static std::string_view view(text of) noexcept { return {of.data(), of.size()}; }

  void on_request_impl(http::verb, text method, text target, int version_number, error_code&) override {
    version = version_number;
    head.method = view(method);
    head.target = view(target);
  }
  void on_response_impl(int, text, int, error_code&) override {}
  void on_field_impl(http::field, text name, text value, error_code&) override {
    head.headers.emplace_back(view(name), view(value));
  }
  void on_header_impl(error_code&) override {}
  void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
  std::size_t on_body_impl(text body, error_code&) override { return add(body); }
  void on_chunk_header_impl(std::uint64_t, text, error_code&) override {}
  std::size_t on_chunk_body_impl(std::uint64_t, text body, error_code&) override { return add(body); }
  void on_finish_impl(error_code&) override {}

  std::size_t add(text body) {
    bytes += body.size();
    print.add(view(body));
    return body.size();
  }
};

request_reader::request_reader() : parser_(std::make_unique<parser>()) {}
request_reader::~request_reader() = default;

request_reader::progress request_reader::take(std::string& bytes) {
  std::size_t taken = 0;
  error_code error;
  while (!parser_->is_done()) {
    parser_->eager(head_told_);
    const std::size_t count =
        parser_->put(boost::asio::buffer(bytes.data() + taken, bytes.size() - taken), error);
    taken += count;
    if (error) break;
    if (!head_told_ && parser_->is_header_done()) {
      // HTTP/1.0 has ways to keep a connection too; nobody needs them here.
      parser_->head.keep_alive = parser_->keep_alive() && parser_->version >= 11;
      break;
    }
    if (count == 0) break;
  }
  bytes.erase(0, taken);
  if (error == http::error::need_more || (!error && !parser_->is_header_done())) return progress::more;
  if (error == http::error::header_limit) return progress::too_large;
  if (error) return progress::bad;
  if (!head_told_) {
    head_told_ = true;
    return parser_->is_done() ? progress::whole : progress::head;
  }
  return parser_->is_done() ? progress::whole : progress::more;
}

bool request_reader::is_whole() const noexcept { return parser_->is_done(); }

const request_head& request_reader::head() const noexcept { return parser_->head; }

body_seen request_reader::body() const noexcept { return {parser_->bytes, parser_->print.value()}; }

}  // namespace relent::testing::faults
