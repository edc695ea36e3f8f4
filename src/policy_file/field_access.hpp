// SPDX-License-Identifier: Apache-2.0
// How a field of the description is made from the path to its member: its type, and what gets and sets it,
// follow from the member's type.
#pragma once

#include "fields.hpp"

#include <type_traits>

namespace relent::detail {

template <class T>
struct unwrapped {
  using type = T;
};
template <class T>
struct unwrapped<optional<T>> {
  using type = T;
};
template <class T>
struct unwrapped<std::optional<T>> {
  using type = T;
};

template <class T>
constexpr field_type type_of() {
  if constexpr (std::is_same_v<T, bool>) return field_type::flag;
  if constexpr (std::is_same_v<T, std::uint32_t>) return field_type::whole;
  if constexpr (std::is_same_v<T, double>) return field_type::number;
  if constexpr (std::is_same_v<T, duration>) return field_type::length;
  if constexpr (std::is_enum_v<T>) return field_type::choice;
  if constexpr (std::is_same_v<T, fault_set>) return field_type::kinds;
  if constexpr (std::is_same_v<T, delay_list>) return field_type::lengths;
  if constexpr (std::is_same_v<T, attempt_ends>) return field_type::ends;
  return field_type::expression;
}

/// The member at the end of a path of pointers to members.
template <auto First, auto... Rest, class Object>
constexpr auto& reach(Object& object) {
  if constexpr (sizeof...(Rest) == 0)
    return object.*First;
  else
    return reach<Rest...>(object.*First);
}

template <auto... Path>
using member_type = std::remove_cvref_t<decltype(reach<Path...>(std::declval<policy_draft&>()))>;

template <auto... Path>
field_value get_member(const policy_draft& draft) {
  using member = member_type<Path...>;
  using plain = typename unwrapped<member>::type;
  const auto wrap = [](const plain& value) -> field_value {
    if constexpr (std::is_enum_v<plain>)
      return choice{static_cast<std::size_t>(value)};
    else
      return value;
  };
  if constexpr (std::is_same_v<member, plain>) {
    return wrap(reach<Path...>(draft));
  } else {
    const member& value = reach<Path...>(draft);
    if (!value.has_value()) return absent{};
    return wrap(*value);
  }
}

template <auto... Path>
void set_member(policy_draft& draft, const field_value& value) {
  using member = member_type<Path...>;
  using plain = typename unwrapped<member>::type;
  if constexpr (!std::is_same_v<member, plain>) {
    if (std::holds_alternative<absent>(value)) {
      reach<Path...>(draft) = member();
      return;
    }
  }
  if constexpr (std::is_enum_v<plain>)
    reach<Path...>(draft) = static_cast<plain>(std::get<choice>(value).index);
  else
    reach<Path...>(draft) = std::get<plain>(value);
}

/// A field for the member at the end of the path.
template <auto... Path>
constexpr field member(std::string_view name, std::string_view help,
                       std::optional<field_range> range = std::nullopt) {
  using type = member_type<Path...>;
  using plain = typename unwrapped<type>::type;
  field made{.name = name,
             .help = help,
             .type = type_of<plain>(),
             .get = &get_member<Path...>,
             .set = &set_member<Path...>,
             .range = range};
  if (!std::is_same_v<type, plain>) made.absent_word = "none";
  return made;
}

}  // namespace relent::detail
