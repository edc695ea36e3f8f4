// SPDX-License-Identifier: Apache-2.0
// Entropy, the fork hook and the resolver's codes: the only place in the core that needs POSIX.
// Elsewhere the entropy comes from std::random_device, a process is assumed never to fork, and no
// resolver code is known.
#pragma once

#include <relent/fault.hpp>
#include <relent/version.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>

#if defined(__unix__) || defined(__APPLE__)
#define RELENT_POSIX 1
#include <netdb.h>
#include <pthread.h>
#include <sys/random.h>
#include <unistd.h>
#else
#include <random>
#endif

namespace relent::detail {

#if defined(RELENT_POSIX)

RELENT_INLINE std::atomic<std::uint32_t>& process_generation_counter() noexcept {
  static std::atomic<std::uint32_t> counter{1};
  return counter;
}

/// A number that differs between a process and each of its forked children; never 0.
RELENT_INLINE std::uint32_t process_generation() noexcept {
  static const int registered = ::pthread_atfork(nullptr, nullptr, [] {
    auto& counter = process_generation_counter();
    if (counter.fetch_add(1, std::memory_order_relaxed) + 1 == 0) counter = 1;
  });
  static_cast<void>(registered);  // fails only for want of memory; then only forked children suffer
  return process_generation_counter().load(std::memory_order_relaxed);
}

/// Fills `size` bytes (at most 256) with entropy; false where the system has none to give.
RELENT_INLINE bool read_entropy(void* bytes, std::size_t size) noexcept {
  return ::getentropy(bytes, size) == 0;
}

/// EAI_… by number; EAI_SYSTEM is not in the table, it is decided by errno (RFC 3493 section 6.1).
struct resolver_row {
  int code;
  fault_kind kind;
};
inline constexpr resolver_row resolver_table[] = {
    {EAI_AGAIN, fault_kind::unreachable},  // glibc: also when no name server answers
    {EAI_MEMORY, fault_kind::overloaded},  // ours, our own shortage
    {EAI_FAIL, fault_kind::rejected},       {EAI_NONAME, fault_kind::rejected},
    {EAI_SERVICE, fault_kind::rejected},    {EAI_FAMILY, fault_kind::rejected},
    {EAI_SOCKTYPE, fault_kind::rejected},   {EAI_BADFLAGS, fault_kind::rejected},
    {EAI_OVERFLOW, fault_kind::rejected},
#if defined(EAI_NODATA)
    {EAI_NODATA, fault_kind::rejected},
#endif
#if defined(EAI_ADDRFAMILY)
    {EAI_ADDRFAMILY, fault_kind::rejected},
#endif
#if defined(EAI_INTR)
    {EAI_INTR, fault_kind::aborted},
#endif
#if defined(EAI_CANCELED)
    {EAI_CANCELED, fault_kind::cancelled},
#endif
};

RELENT_INLINE bool is_resolver_system_error(int code) noexcept { return code == EAI_SYSTEM; }

RELENT_INLINE fault_kind resolver_fault(int code) noexcept {
  for (const resolver_row& row : resolver_table)
    if (row.code == code) return row.kind;
  return fault_kind::unknown;
}

#else

RELENT_INLINE bool is_resolver_system_error(int) noexcept { return false; }
RELENT_INLINE fault_kind resolver_fault(int) noexcept { return fault_kind::unknown; }

RELENT_INLINE std::uint32_t process_generation() noexcept { return 1; }

RELENT_INLINE bool read_entropy(void* bytes, std::size_t size) noexcept {
  try {
    std::random_device device;
    auto* out = static_cast<unsigned char*>(bytes);
    for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<unsigned char>(device());
    return true;
  } catch (...) {
    return false;
  }
}

#endif

}  // namespace relent::detail
