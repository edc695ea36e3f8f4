// SPDX-License-Identifier: Apache-2.0
// A std::stop_token in a form that costs nothing to include: <stop_token> is dearer to compile than the
// whole of the core, so only who uses one includes it. Layer 0.
#pragma once

#include <concepts>
#include <cstddef>
#include <new>
#include <type_traits>

namespace relent {

/// What std::stop_token looks like.
template <class T>
concept stop_token_like = requires(const T& token) {
  { token.stop_requested() } -> std::same_as<bool>;
  { token.stop_possible() } -> std::same_as<bool>;
};

namespace detail {

struct stop_operations {
  void (*copy)(void* to, const void* from);
  void (*destroy)(void* token);
  bool (*requested)(const void* token);
};

template <class Token>
inline constexpr stop_operations stop_operations_of{
    [](void* to, const void* from) { ::new (to) Token(*static_cast<const Token*>(from)); },
    [](void* token) { static_cast<Token*>(token)->~Token(); },
    [](const void* token) { return static_cast<const Token*>(token)->stop_requested(); },
};

}  // namespace detail

/// Holds a copy of a std::stop_token, or nothing, in which case it is never triggered.
/// Converts implicitly from a token. As thread-safe as the token.
class stop_handle {
 public:
  // Not defaulted, which would forbid a const one.
  constexpr stop_handle() noexcept {}  // NOLINT(modernize-use-equals-default)

  template <stop_token_like Token>
  stop_handle(const Token& token) : operations_(&detail::stop_operations_of<Token>) {
    static_assert(std::is_copy_constructible_v<Token> && sizeof(Token) <= sizeof storage_);
    // NOLINTNEXTLINE(misc-redundant-expression): true of std::stop_token, perhaps not of others
    static_assert(alignof(Token) <= alignof(void*));
    ::new (static_cast<void*>(storage_)) Token(token);
  }

  stop_handle(const stop_handle& other) : operations_(other.operations_) {
    if (operations_ != nullptr) operations_->copy(storage_, other.storage_);
  }
  stop_handle& operator=(const stop_handle& other) {
    if (this != &other) {
      reset();
      if (other.operations_ != nullptr) other.operations_->copy(storage_, other.storage_);
      operations_ = other.operations_;
    }
    return *this;
  }
  constexpr ~stop_handle() { reset(); }

  /// Whether a token was given.
  bool has_token() const noexcept { return operations_ != nullptr; }

  /// Whether the token was triggered.
  bool requested() const noexcept { return operations_ != nullptr && operations_->requested(storage_); }

  /// The token, where it is of this type; otherwise null. as<std::stop_token>() is what a driver asks for.
  template <stop_token_like Token>
  const Token* as() const noexcept {
    if (operations_ != &detail::stop_operations_of<Token>) return nullptr;
    return std::launder(reinterpret_cast<const Token*>(storage_));
  }

 private:
  constexpr void reset() noexcept {
    if (operations_ != nullptr) operations_->destroy(storage_);
    operations_ = nullptr;
  }

  const detail::stop_operations* operations_ = nullptr;
  alignas(void*) std::byte storage_[2 * sizeof(void*)] = {};
};

}  // namespace relent
