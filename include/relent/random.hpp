// SPDX-License-Identifier: Apache-2.0
// Random numbers: a fixed algorithm, so that one seed gives one series on every platform, and the
// per-thread default that is seeded from the operating system when it is first needed.
// Not for secrets. Layer 0.
#pragma once

#include <relent/time.hpp>
#include <relent/version.hpp>

#include <concepts>
#include <cstdint>

namespace relent {

/// Anything whose next() gives 64 uniform random bits.
template <class T>
concept random_source = requires(T& source) {
  { source.next() } -> std::same_as<std::uint64_t>;
};

/// A random source seen through one pointer and one function: what compiled code takes.
/// Refers to a source that must outlive it.
class random_ref {
 public:
  template <random_source Source>
    requires(!std::same_as<Source, random_ref>)
  constexpr random_ref(Source& source) noexcept
      : source_(&source), next_([](void* s) { return static_cast<Source*>(s)->next(); }) {}

  /// From a pointer, so that options can say `.random = &source`. Must not be null.
  template <random_source Source>
  constexpr random_ref(Source* source) noexcept : random_ref(*source) {}

  std::uint64_t next() { return next_(source_); }

 private:
  void* source_;
  std::uint64_t (*next_)(void*);
};

namespace detail {

/// The upper 64 bits of a 64 x 64 bit product.
constexpr std::uint64_t multiply_high(std::uint64_t a, std::uint64_t b) noexcept {
  const std::uint64_t a_low = a & 0xffffffffU;
  const std::uint64_t a_high = a >> 32U;
  const std::uint64_t b_low = b & 0xffffffffU;
  const std::uint64_t b_high = b >> 32U;
  const std::uint64_t low = a_low * b_low;
  const std::uint64_t middle = a_high * b_low + (low >> 32U);
  const std::uint64_t carry = (middle & 0xffffffffU) + a_low * b_high;
  return a_high * b_high + (middle >> 32U) + (carry >> 32U);
}

/// One step of SplitMix64 (Steele, Lea, Flood 2014): spreads one seed over a whole state.
constexpr std::uint64_t split_mix(std::uint64_t& state) noexcept {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

}  // namespace detail

/// A uniform length in [0, ceiling), continuous in nanoseconds, from 64 random bits.
/// Integer arithmetic only: the same bits give the same wait on every platform. Zero for a ceiling <= 0.
constexpr duration uniform_below(std::uint64_t bits, duration ceiling) noexcept {
  if (ceiling <= duration::zero()) return duration::zero();
  return duration{
      static_cast<duration::rep>(detail::multiply_high(bits, static_cast<std::uint64_t>(ceiling.count())))};
}

/// A uniform number in [0, 1) with 53 significant bits, from 64 random bits.
constexpr double uniform_unit(std::uint64_t bits) noexcept {
  return static_cast<double>(bits >> 11U) * 0x1.0p-53;
}

/// A generator with 256 bits of state (xoshiro256++, Blackman and Vigna 2019). One thread at a time.
/// Cannot be copied: two streams never share a series. split() makes a second, independent one.
class random_stream {
 public:
  /// The same seed gives the same series on every platform.
  constexpr explicit random_stream(std::uint64_t seed) noexcept {
    for (auto& word : state_) word = detail::split_mix(seed);
  }
  /// From 256 bits of entropy.
  constexpr explicit random_stream(const std::uint64_t (&entropy)[4]) noexcept { reseed(entropy); }
  random_stream(const random_stream&) = delete;
  random_stream& operator=(const random_stream&) = delete;

  /// Starts a new series from 256 bits of entropy.
  constexpr void reseed(const std::uint64_t (&entropy)[4]) noexcept {
    std::uint64_t any = 0;
    for (int i = 0; i < 4; ++i) any |= state_[i] = entropy[i];
    if (any == 0) state_[0] = 1;  // all zero would stay zero for ever
  }

  /// 64 uniform random bits.
  constexpr std::uint64_t next() noexcept {
    const std::uint64_t result = rotate(state_[0] + state_[3], 23) + state_[0];
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = rotate(state_[3], 45);
    return result;
  }

  /// A new stream, seeded by a draw from this one.
  constexpr random_stream split() noexcept { return random_stream{next()}; }

 private:
  static constexpr std::uint64_t rotate(std::uint64_t x, unsigned by) noexcept {
    return (x << by) | (x >> (64U - by));
  }
  std::uint64_t state_[4]{};
};

/// The calling thread's own generator, seeded from the operating system at its first draw.
/// After fork() the child seeds anew, so parent and child never draw the same series.
struct thread_random {
  /// 64 uniform random bits. Thread-safe.
  std::uint64_t next() noexcept;
};

}  // namespace relent

#if !defined(RELENT_COMPILED)
#include <relent/impl/random.ipp>  // IWYU pragma: export
#endif
