// SPDX-License-Identifier: Apache-2.0
// Where `relent fetch` puts an answer, but for files that are fetched in parts (resumed_sink.hpp). Layer 5.
#pragma once

#include <relent/curl/sink.hpp>
#include <relent/http/header_list.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace relent::cli {

/// stdout, which gets the whole body once it is certain. Throws std::system_error if it cannot be written.
curl::sink stdout_sink();

/// Keeps nothing: for /dev/null.
curl::sink discarding_sink();

/// The head of an answer as it is printed: "HTTP/1.1 200", a line for each field, an empty line.
std::string head_text(std::string_view version, int status, const http::header_list& headers);

/// Puts the head before the body. `version` is asked for when the head is there.
curl::sink with_head(curl::sink inner, std::function<std::string_view()> version);

/// Whether a file can be made there, or replaced; what it throws (std::system_error) says why not. Asked before
/// anything is sent, since an answer that cannot be kept may be one of its kind.
void check_place(const std::string& path);

}  // namespace relent::cli
