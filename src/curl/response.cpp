// SPDX-License-Identifier: Apache-2.0
// What a response says of itself.
#include <relent/curl/response.hpp>

#include <relent/event.hpp>

#include <utility>

namespace relent::curl {

std::string response::what() const {
  if (!fault && !report.stop) return {};
  if (status >= 400) {
    std::string text = "HTTP " + std::to_string(status);
    if (problem && !problem->title.empty()) text += ": " + problem->title;
    if (problem && !problem->detail.empty()) text += ": " + problem->detail;
    return text;
  }
  if (error) return error.text;
  return std::string(report.stop ? explain(*report.stop) : std::string_view("the request failed"));
}

const response& response::value() const& {
  if (!ok()) throw failed(*this);
  return *this;
}

response response::value() && {
  if (!ok()) throw failed(std::move(*this));
  return std::move(*this);
}

failed::failed(response of) : std::runtime_error(of.what()), of_(std::move(of)) {}

}  // namespace relent::curl
