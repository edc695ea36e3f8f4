// SPDX-License-Identifier: Apache-2.0
// The per-thread default generator. What needs the operating system is in posix.ipp.
#pragma once

#include <relent/impl/posix.ipp>
#include <relent/random.hpp>

namespace relent {

namespace detail {

/// Where the system has no entropy, the time and an address of the thread's own stack must do: jitter needs
/// to differ, not to be secret.
RELENT_INLINE void mix_poor_entropy(std::uint64_t (&entropy)[4]) noexcept {
  auto seed = static_cast<std::uint64_t>(std::chrono::steady_clock::now().time_since_epoch().count()) ^
              static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count()) << 20U ^
              static_cast<std::uint64_t>(reinterpret_cast<std::uintptr_t>(&entropy));
  for (std::uint64_t& word : entropy) word = split_mix(seed);
}

}  // namespace detail

RELENT_INLINE std::uint64_t thread_random::next() noexcept {
  static thread_local random_stream stream{0};
  static thread_local std::uint32_t seeded_in = 0;  // the process generation; 0: not seeded yet
  const std::uint32_t generation = detail::process_generation();
  if (seeded_in != generation) {
    std::uint64_t entropy[4];
    if (!detail::read_entropy(entropy, sizeof entropy)) detail::mix_poor_entropy(entropy);
    stream.reseed(entropy);
    seeded_in = generation;
  }
  return stream.next();
}

}  // namespace relent
