// SPDX-License-Identifier: Apache-2.0
// libcurl's handles as values that clean up after themselves, and its options with their errors.
#pragma once

#include <curl/curl.h>

#include <memory>
#include <stdexcept>
#include <string>

namespace relent::curl::detail {

/// Initialises libcurl, once in the process. Throws std::runtime_error if that fails. Thread-safe.
void require_libcurl();

struct easy_cleanup {
  void operator()(CURL* handle) const noexcept { curl_easy_cleanup(handle); }
};
struct multi_cleanup {
  void operator()(CURLM* handle) const noexcept { curl_multi_cleanup(handle); }
};
struct list_cleanup {
  void operator()(curl_slist* list) const noexcept { curl_slist_free_all(list); }
};
struct address_cleanup {
  void operator()(CURLU* address) const noexcept { curl_url_cleanup(address); }
};

using easy_handle = std::unique_ptr<CURL, easy_cleanup>;
using multi_handle = std::unique_ptr<CURLM, multi_cleanup>;
using string_list = std::unique_ptr<curl_slist, list_cleanup>;
using address = std::unique_ptr<CURLU, address_cleanup>;

easy_handle make_easy();
multi_handle make_multi();

/// Appends a copy of the text.
void append(string_list& list, const std::string& text);

/// Throws std::runtime_error, or std::bad_alloc.
[[noreturn]] void throw_code(CURLcode code, const char* what);

template <class Value>
void set(CURL* handle, CURLoption option, Value value) {
  if (const CURLcode code = curl_easy_setopt(handle, option, value); code != CURLE_OK)
    throw_code(code, "libcurl refuses an option");
}

/// What libcurl knows of a transfer; zero where it does not.
template <class Value>
Value info(CURL* handle, CURLINFO what) noexcept {
  Value value{};
  if (curl_easy_getinfo(handle, what, &value) != CURLE_OK) return Value{};
  return value;
}

}  // namespace relent::curl::detail
