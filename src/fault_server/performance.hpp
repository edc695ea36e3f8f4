// SPDX-License-Identifier: Apache-2.0
// What a connection does about one request: a step with everything filled in that the request and the hour decide,
// so that the connection only has to carry it out.
#pragma once

#include <relent/time.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "request_head.hpp"
#include "script.hpp"

namespace relent::testing::faults {

/// How it ends.
enum class ending : std::uint8_t {
  keep,        ///< the next request may come
  close,       ///< FIN, after a close_notify
  unclean,     ///< FIN without close_notify
  reset,       ///< RST, once the client has what was written
  hold,        ///< silence, then close
  idle_close,  ///< closed when the next request arrives, unread
};

/// Bytes of a body, made when they are sent.
struct body_part {
  body_spec::source from = body_spec::source::text;
  std::uint64_t first = 0;  ///< offset in the whole body
  std::uint64_t size = 0;   ///< how many bytes are sent
  std::string text = {};    ///< the whole body, where it is a text

  /// At most `most` bytes from the offset `sent` of this part on.
  std::string piece(std::uint64_t sent, std::size_t most) const;
};

struct performance {
  std::uint16_t status = 0;  ///< of the answer; 0 where there is none
  duration delay = duration::zero();
  std::string head = {};  ///< interim answers too; empty where nothing is answered
  body_part body = {};
  bool chunked = false;
  bool whole = true;  ///< whether the answer is one, to its end
  std::optional<std::uint64_t> rate = std::nullopt;
  std::uint64_t junk = 0;  ///< letters to be sent between head and `tail`
  std::string tail = {};
  ending end = ending::keep;
  std::optional<duration> hold = std::nullopt;  ///< of ending::hold; nothing: for ever
  std::optional<duration> idle = std::nullopt;  ///< how long a kept connection may be idle
};

/// What an answer depends on besides the step and the request.
struct circumstances {
  std::chrono::system_clock::time_point wall = {};
  bool replayed = false;  ///< a stored answer
  bool close = false;     ///< the connection has to end with it
};

/// A step that is no random one as what has to be done.
performance perform(const step& what, const request_head& request, const circumstances& around);

/// An answer with a text of its own, for what the server says on its own account.
performance plain_answer(std::uint16_t status, std::string text, std::string_view type,
                         const request_head& request, const circumstances& around);

/// IMF-fixdate (RFC 9110 section 5.6.7), whole seconds.
std::string http_date(std::chrono::system_clock::time_point when);

}  // namespace relent::testing::faults
