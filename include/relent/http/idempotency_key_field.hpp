// SPDX-License-Identifier: Apache-2.0
// The request field Idempotency-Key: the two ways in which it is written, and how it is read
// (draft-ietf-httpapi-idempotency-key-header). Keys are made in relent/idempotency_key.hpp. Target relent::http.
#pragma once

#include <relent/http/header_list.hpp>
#include <relent/version.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace relent::http {

/// The field's name.
inline constexpr std::string_view idempotency_key_field = "Idempotency-Key";

/// How a server wants the key.
enum class key_style : std::uint8_t {
  quoted,  ///< as the draft says, a String (RFC 8941 section 3.3.3)
  raw,     ///< as it is: Stripe and most payment APIs, for whom quotes would become a part of the key
};

/// The field's value. Throws std::invalid_argument for what is no key: empty, longer than 255 characters, not
/// visible ASCII. Thread-safe.
std::string write_idempotency_key(std::string_view key, key_style style);

/// What a server takes for a key.
enum class key_reading : std::uint8_t {
  strict,   ///< a String, as the draft says; anything else must be ignored
  lenient,  ///< or any text of visible ASCII without quotes, which then is the key as it stands
};

/// A key, or why there is none.
struct read_key {
  std::optional<std::string> key;  ///< without quotes, 1 to 255 characters
  std::string_view problem = {};   ///< empty, or why the field must be ignored; lives for ever
};

/// The key of a request. Neither a key nor a problem: it has no such field. Parameters are ignored.
/// A server that needs a key should answer a problem with 400, not go on without. Thread-safe.
read_key read_idempotency_key(const header_list& request, key_reading reading);

}  // namespace relent::http
