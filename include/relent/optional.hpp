// SPDX-License-Identifier: Apache-2.0
// A std::optional for plain values that costs the compiler a tenth as much, which the core's options and
// decisions, full of "or nothing", would otherwise pay at every include. Converts from and to it. Layer 0.
#pragma once

#include <concepts>
#include <type_traits>

namespace relent {

/// "Nothing" in so many words; std::nullopt does as well.
struct nullopt_t {
  constexpr explicit nullopt_t(int) noexcept {}
};
inline constexpr nullopt_t nullopt{0};

namespace detail {

/// A tag as the standard describes nullopt_t: empty, and not to be made from nothing.
template <class N>
concept nullopt_like =
    std::is_empty_v<N> && std::is_trivially_copyable_v<N> && !std::is_default_constructible_v<N>;

/// Something else that holds a T or nothing: std::optional.
template <class O, class T>
concept optional_like = requires(const O& other) {
  { other.has_value() } -> std::same_as<bool>;
  { *other } -> std::convertible_to<const T&>;
};

}  // namespace detail

/// A T or nothing. T must be trivially copyable; so is the result. One thread at a time.
template <class T>
class optional {
 public:
  using value_type = T;

  constexpr optional() noexcept : nothing_{} {}
  template <detail::nullopt_like N>
  constexpr optional(N) noexcept : nothing_{} {}
  template <class U = T>
    requires(std::convertible_to<U, T> && !detail::optional_like<std::remove_cvref_t<U>, T>)
  constexpr optional(U&& value) noexcept : value_(static_cast<T>(static_cast<U&&>(value))), has_(true) {}
  template <class O>
    requires(detail::optional_like<O, T> && !std::same_as<O, optional>)
  constexpr optional(const O& other) noexcept : nothing_{} {
    if (other.has_value()) *this = optional(T(*other));
  }

  template <class O>
    requires(!std::same_as<O, optional> && std::same_as<typename O::value_type, T> &&
             std::constructible_from<O, const T&>)
  constexpr operator O() const { return has_ ? O(value_) : O(); }

  constexpr bool has_value() const noexcept { return has_; }
  constexpr explicit operator bool() const noexcept { return has_; }
  constexpr const T& operator*() const noexcept { return value_; }
  constexpr T& operator*() noexcept { return value_; }
  constexpr const T* operator->() const noexcept { return &value_; }
  constexpr T* operator->() noexcept { return &value_; }
  /// The value; there must be one.
  constexpr const T& value() const noexcept { return value_; }
  constexpr T value_or(T otherwise) const noexcept { return has_ ? value_ : otherwise; }
  constexpr void reset() noexcept { *this = optional(); }

  friend constexpr bool operator==(const optional& a, const optional& b) noexcept {
    return a.has_ == b.has_ && (!a.has_ || a.value_ == b.value_);
  }
  // Not with a std::optional: its own comparison with a value would take part, and find two empty ones unequal.
  template <class O>
    requires(detail::optional_like<O, T> && !std::same_as<O, optional>)
  friend bool operator==(const optional&, const O&) = delete;
  template <class O>
    requires(detail::optional_like<O, T> && !std::same_as<O, optional>)
  friend bool operator==(const O&, const optional&) = delete;

 private:
  struct nothing {};  // of no bytes, so that an optional of nothing writes only the flag
  union {
    nothing nothing_;
    T value_;
  };
  bool has_ = false;
};

template <class T>
optional(T) -> optional<T>;

}  // namespace relent
