// SPDX-License-Identifier: Apache-2.0
// The operations that the benchmarks call, and the loops written by hand that relent is compared with.
// They include nothing of relent, so that both modes of the library are measured on the same ones.
#pragma once

#include <chrono>
#include <cstdint>
#include <stdexcept>
#include <thread>

namespace bench {

/// Something that the compiler can neither look into nor leave out, as a real operation is.
[[gnu::noinline]] inline int serve(int request) {
  asm volatile("" : "+r"(request) : : "memory");
  return request;
}

/// A result that carries its error, as std::expected does. 0 is a success.
struct answer {
  int value = 0;
  int error = 0;

  using value_type = int;
  bool has_value() const noexcept { return error == 0; }
};

/// Fails at every other request, the first included.
[[gnu::noinline]] inline answer serve_every_other(std::uint32_t& requests) {
  asm volatile("" : "+m"(requests) : : "memory");
  return ++requests % 2 == 1 ? answer{.error = 1} : answer{.value = 1};
}

/// What one writes who has no library: three tries, every exception is worth another, the wait doubles.
template <class Operation>
auto loop_by_hand(Operation&& operation) {
  auto wait = std::chrono::milliseconds{100};
  for (int attempt = 1;; ++attempt) {
    try {
      return operation();
    } catch (const std::runtime_error&) {
      if (attempt == 3) throw;
    }
    std::this_thread::sleep_for(wait);
    wait *= 2;
  }
}

/// The same for errors as values, without a wait.
template <class Operation>
auto loop_by_hand_over_values(Operation&& operation) {
  for (int attempt = 1;; ++attempt) {
    auto result = operation();
    if (result.has_value() || attempt == 3) return result;
  }
}

/// The same as loop_by_hand, within a deadline.
template <class Operation>
auto loop_by_hand_with_deadline(Operation&& operation) {
  auto wait = std::chrono::milliseconds{100};
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds{30};
  for (int attempt = 1;; ++attempt) {
    try {
      return operation();
    } catch (const std::runtime_error&) {
      if (attempt == 3 || std::chrono::steady_clock::now() + wait >= deadline) throw;
    }
    std::this_thread::sleep_for(wait);
    wait *= 2;
  }
}

}  // namespace bench
