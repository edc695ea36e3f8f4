// SPDX-License-Identifier: Apache-2.0
// The server as a whole: its parts in the order in which they have to go, and its threads.
#include <relent/testing/fault_server.hpp>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ssl/context.hpp>
#include <exception>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>

#include "book.hpp"
#include "certificate.hpp"
#include "listener.hpp"
#include "script.hpp"
#include "steady_now.hpp"

namespace relent::testing {
namespace {

std::string lines_of(const std::vector<std::string>& problems) {
  std::string out;
  for (const std::string& each : problems) out += (out.empty() ? "" : "\n") + each;
  return out;
}

faults::script_set scripts_of(const std::vector<std::string>& texts, bool tls) {
  faults::script_reading read = faults::read_scripts(texts, tls);
  if (!read.problems.empty()) throw fault_script_error(std::move(read.problems));
  return std::move(read.scripts);
}

boost::asio::ip::tcp::endpoint endpoint_of(const fault_server_options& options) {
  if (options.threads < 1 || options.threads > 64)
    throw std::invalid_argument("fault_server: threads is " + std::to_string(options.threads) +
                                ", and has to be from 1 to 64");
  if (options.idle_timeout <= duration::zero())
    throw std::invalid_argument("fault_server: idle_timeout has to be greater than zero");
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(options.address, error);
  if (error)
    throw std::invalid_argument("fault_server: address '" + options.address +
                                "' is no IP address: write 127.0.0.1 or ::1");
  return {address, options.port};
}

}  // namespace

fault_script_error::fault_script_error(std::vector<std::string> problems)
    : std::runtime_error(lines_of(problems)), problems_(std::move(problems)) {}

void check_fault_scripts(const std::vector<std::string>& scripts, bool tls) {
  (void)scripts_of(scripts, tls);
}

class fault_server::implementation {
 public:
  explicit implementation(const fault_server_options& options)
      : endpoint_(endpoint_of(options)),
        book_(scripts_of(options.scripts, options.tls), options.seed),
        io_(static_cast<int>(options.threads)) {
    if (options.tls) make_tls(options.address);
    const faults::session_surroundings around{book_, options.idle_timeout, tls_ ? &*tls_ : nullptr};
    listener_ = std::make_unique<faults::listener>(io_, endpoint_, around, book_.at_start());
    try {
      for (std::size_t i = 0; i < options.threads; ++i) threads_.emplace_back([this] { run(); });
    } catch (...) {
      stop();
      throw;
    }
  }
  ~implementation() { stop(); }
  implementation(const implementation&) = delete;
  implementation& operator=(const implementation&) = delete;

  std::uint16_t port() const noexcept { return listener_->port(); }
  std::string url(std::string_view path) const {
    const bool six = endpoint_.address().is_v6();
    const std::string host = endpoint_.address().to_string();
    return (tls_ ? "https://" : "http://") + (six ? '[' + host + ']' : host) + ':' + std::to_string(port()) +
           std::string(path);
  }
  const std::string& pem() const noexcept { return pem_; }
  const std::string& pem_path() const noexcept { return file_ ? file_->path() : pem_; }
  faults::book& records() noexcept { return book_; }

 private:
  void make_tls(const std::string& address) {
    const faults::certificate made = faults::make_certificate(address);
    tls_.emplace(boost::asio::ssl::context::tls_server);
    tls_->use_certificate_chain(boost::asio::buffer(made.pem));
    tls_->use_private_key(boost::asio::buffer(made.key_pem), boost::asio::ssl::context::pem);
    pem_ = made.pem;
    file_.emplace(pem_);
  }

  /// Serves until it is stopped. What one connection throws (it can only be for want of memory) ends that one.
  void run() noexcept {
    for (;;) {
      try {
        io_.run();
        return;
      } catch (const std::exception&) {
        continue;
      }
    }
  }

  void stop() noexcept {
    io_.stop();
    for (std::thread& each : threads_) each.join();
    threads_.clear();
    listener_.reset();
  }

  boost::asio::ip::tcp::endpoint endpoint_;
  faults::book book_;
  std::optional<boost::asio::ssl::context> tls_;
  std::string pem_;
  std::optional<faults::certificate_file> file_;
  boost::asio::io_context io_;  // its destructor closes the connections, which refer to what is above
  std::unique_ptr<faults::listener> listener_;
  std::vector<std::thread> threads_;
};

fault_server::fault_server(const fault_server_options& options)
    : implementation_(std::make_unique<implementation>(options)) {}
fault_server::~fault_server() = default;

std::uint16_t fault_server::port() const noexcept { return implementation_->port(); }
std::string fault_server::url(std::string_view path) const { return implementation_->url(path); }
const std::string& fault_server::certificate_pem() const noexcept { return implementation_->pem(); }
const std::string& fault_server::certificate_file() const noexcept { return implementation_->pem_path(); }

key_counts fault_server::counts(std::string_view key) const { return implementation_->records().counts(key); }
key_counts fault_server::totals() const { return implementation_->records().totals(); }
std::uint64_t fault_server::connections() const { return implementation_->records().connections(); }
std::vector<load_bucket> fault_server::load() const {
  return implementation_->records().load(faults::steady_now());
}
std::string fault_server::counts_json() const {
  return implementation_->records().counts_json(faults::steady_now());
}
void fault_server::reset_counts() { implementation_->records().reset(); }
void fault_server::refresh_credentials() { implementation_->records().refresh(); }

}  // namespace relent::testing
