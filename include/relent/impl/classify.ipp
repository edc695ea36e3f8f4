// SPDX-License-Identifier: Apache-2.0
// The table of errno values and the functions that read it.
#pragma once

#include <relent/classify.hpp>
#include <relent/impl/posix.ipp>
#include <relent/refusal.hpp>

#include <cerrno>
#include <cstdlib>
#include <typeinfo>

#if defined(__GNUG__)
#include <cxxabi.h>
#endif

namespace relent {
namespace detail {

enum class errno_effect : std::uint8_t {
  none,      // the error itself proves that nothing was done
  by_phase,  // none as long as nothing was written, possible afterwards or when the phase is not known
};

struct errno_row {
  int code;
  fault_kind kind;
  errno_effect effect;
  bool local = false;  // our own shortage; says nothing about the peer
};

/// POSIX errno values as the end of a network attempt. EAGAIN here is the end of a socket with a time-out:
/// readiness is the caller's business and never gets this far.
inline constexpr errno_row errno_table[] = {
    {ECONNREFUSED, fault_kind::unreachable, errno_effect::none},
    {EHOSTUNREACH, fault_kind::unreachable, errno_effect::by_phase},
    {ENETUNREACH, fault_kind::unreachable, errno_effect::by_phase},
    {ENETDOWN, fault_kind::unreachable, errno_effect::by_phase},
#if defined(EHOSTDOWN)
    {EHOSTDOWN, fault_kind::unreachable, errno_effect::by_phase},
#endif
    {ECONNRESET, fault_kind::reset, errno_effect::by_phase},
    {ECONNABORTED, fault_kind::reset, errno_effect::by_phase},
    {ENETRESET, fault_kind::reset, errno_effect::by_phase},
    {ENOTCONN, fault_kind::reset, errno_effect::by_phase},
    {EPIPE, fault_kind::reset, errno_effect::by_phase},
#if defined(ESHUTDOWN)
    {ESHUTDOWN, fault_kind::reset, errno_effect::by_phase},
#endif
    {ETIMEDOUT, fault_kind::timeout, errno_effect::by_phase},
    {EAGAIN, fault_kind::timeout, errno_effect::by_phase},
    {EINTR, fault_kind::aborted, errno_effect::by_phase},
    {EADDRNOTAVAIL, fault_kind::unreachable, errno_effect::none, true},  // ephemeral ports used up
    {EMFILE, fault_kind::overloaded, errno_effect::by_phase, true},
    {ENFILE, fault_kind::overloaded, errno_effect::by_phase, true},
    {ENOBUFS, fault_kind::overloaded, errno_effect::by_phase, true},
    {ENOMEM, fault_kind::overloaded, errno_effect::by_phase, true},
    {EADDRINUSE, fault_kind::rejected, errno_effect::none, true},
    {EACCES, fault_kind::rejected, errno_effect::none},
    {EPERM, fault_kind::rejected, errno_effect::none},
    {ENOENT, fault_kind::rejected, errno_effect::none},
    {EINVAL, fault_kind::rejected, errno_effect::by_phase},
    {EBADF, fault_kind::rejected, errno_effect::by_phase},
    {ENOTSOCK, fault_kind::rejected, errno_effect::by_phase},
    {EFAULT, fault_kind::rejected, errno_effect::by_phase},
    {EAFNOSUPPORT, fault_kind::rejected, errno_effect::by_phase},
    {EPROTONOSUPPORT, fault_kind::rejected, errno_effect::by_phase},
    {EOPNOTSUPP, fault_kind::rejected, errno_effect::by_phase},
    {EMSGSIZE, fault_kind::rejected, errno_effect::by_phase},
    {ECANCELED, fault_kind::cancelled, errno_effect::by_phase},
};

RELENT_INLINE optional<effect> effect_by(errno_effect rule, optional<phase> reached) noexcept {
  if (rule == errno_effect::none) return effect::none;
  return reached ? effect_in(*reached) : effect::possible;
}

/// The exception's type as a person writes it.
RELENT_INLINE std::string type_name(const std::type_info& type) {
#if defined(__GNUG__)
  int status = 0;
  char* readable = abi::__cxa_demangle(type.name(), nullptr, nullptr, &status);
  std::string name = status == 0 && readable != nullptr ? readable : type.name();
  std::free(readable);
  return name;
#else
  return type.name();
#endif
}

}  // namespace detail

RELENT_INLINE fault classify_errno(int code, optional<phase> reached) noexcept {
  if (code == EWOULDBLOCK) code = EAGAIN;
  for (const detail::errno_row& row : detail::errno_table)
    if (row.code == code)
      return {.kind = row.kind, .effect = detail::effect_by(row.effect, reached), .local = row.local};
  return {.effect = reached ? optional(effect_in(*reached)) : nullopt};
}

RELENT_INLINE fault classify_getaddrinfo(int code, int errno_value) noexcept {
  if (detail::is_resolver_system_error(code)) return classify_errno(errno_value, phase::resolve);
  const fault_kind kind = detail::resolver_fault(code);
  return {.kind = kind, .effect = effect::none, .local = kind == fault_kind::overloaded};
}

RELENT_INLINE fault classify(const std::error_code& code, optional<phase> reached) noexcept {
  // An inner call of ours that made no attempt: nothing was done, and it says nothing about our own dependency.
  if (code == make_refusal(stop_reason::cancelled))
    return {.kind = fault_kind::cancelled, .effect = effect::none};
  if (code.category() == refusal_category())
    return {.kind = fault_kind::rejected, .effect = effect::none, .local = true};
  if (code.category() == std::system_category()) return classify_errno(code.value(), reached);
  const std::error_condition condition = code.default_error_condition();
  if (condition.category() == std::generic_category()) return classify_errno(condition.value(), reached);
  return {.effect = reached ? optional(effect_in(*reached)) : nullopt};
}

RELENT_INLINE fault classify(const std::exception_ptr& exception) noexcept {
  if (!exception) return {};
  try {
    std::rethrow_exception(exception);
  } catch (const std::system_error& error) {
    return classify(error.code());
  } catch (...) {
    return {};
  }
}

RELENT_INLINE std::string describe(const std::exception_ptr& exception) {
  if (!exception) return {};
  try {
    std::rethrow_exception(exception);
  } catch (const std::exception& error) {
    return detail::type_name(typeid(error)) + ": " + error.what();
  } catch (const std::string& text) {
    return text;
  } catch (const char* text) {
    return text;
  } catch (...) {
#if defined(__GNUG__)
    if (const std::type_info* type = abi::__cxa_current_exception_type()) return detail::type_name(*type);
#endif
    return "an exception of unknown type";
  }
}

}  // namespace relent
