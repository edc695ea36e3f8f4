// SPDX-License-Identifier: Apache-2.0
// Making handles.
#include "handle.hpp"

#include <new>

namespace relent::curl::detail {

void require_libcurl() {
  // Never undone: others in the process may use libcurl as well.
  static const CURLcode code = curl_global_init(CURL_GLOBAL_DEFAULT);
  if (code != CURLE_OK) throw_code(code, "libcurl cannot be initialised");
}

easy_handle make_easy() {
  easy_handle handle(curl_easy_init());
  if (!handle) throw std::bad_alloc();
  return handle;
}

multi_handle make_multi() {
  multi_handle handle(curl_multi_init());
  if (!handle) throw std::bad_alloc();
  return handle;
}

void append(string_list& list, const std::string& text) {
  curl_slist* const longer = curl_slist_append(list.get(), text.c_str());
  if (longer == nullptr) throw std::bad_alloc();
  static_cast<void>(list.release());
  list.reset(longer);
}

void throw_code(CURLcode code, const char* what) {
  if (code == CURLE_OUT_OF_MEMORY) throw std::bad_alloc();
  throw std::runtime_error(std::string("relent: ") + what + ": " + curl_easy_strerror(code));
}

}  // namespace relent::curl::detail
