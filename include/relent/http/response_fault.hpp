// SPDX-License-Identifier: Apache-2.0
// What a response as a whole says about retrying: its status, what the server says besides, the wait it asks
// for. The single tables are in status.hpp, pushback.hpp and server_delay.hpp. Target relent::http.
#pragma once

#include <relent/fault.hpp>
#include <relent/http/header_list.hpp>
#include <relent/http/pushback.hpp>
#include <relent/http/server_delay.hpp>
#include <relent/version.hpp>

#include <chrono>
#include <optional>
#include <string_view>

namespace relent::http {

/// Which of the server's words are honoured.
struct response_rules {
  delay_rules delays = {};
  pushback_set pushbacks = default_pushbacks;
};

/// What a response comes to.
struct response_meaning {
  std::optional<relent::fault> fault;  ///< nothing: a success, or a redirect; its server_delay is that below
  std::optional<server_delay> delay;   ///< of a fault, or before the redirected request; a success has none
  /// The field, in small letters, that forbade or invited a retry or made it another kind of fault; empty if
  /// the status alone decided. Lives for ever.
  std::string_view decided_by = {};
};

/// Reads a final response. `wall_now` is for dates, if the response has no Date of its own. Whatever stands in
/// the fields, it does not throw but for want of memory. A veto outweighs an invitation. Thread-safe.
response_meaning meaning_of_response(int status, const header_list& headers,
                                     std::chrono::system_clock::time_point wall_now,
                                     const response_rules& rules = {});

}  // namespace relent::http
