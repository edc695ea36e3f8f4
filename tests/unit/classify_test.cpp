// SPDX-License-Identifier: Apache-2.0
// What errno values, resolver results, error codes and error types mean for retrying.
// Exceptions: classify_exception_test.cpp.
#include <relent/classify.hpp>

#include <gtest/gtest.h>

#include <netdb.h>

#include <cerrno>
#include <optional>
#include <string>

// An error enum with codes of its own; one of them has a generic equivalent.
namespace warehouse {

enum class stock_errc { shelf_empty = 1, door_locked = 2, warehouse_away = 3 };

class stock_category_type : public std::error_category {
 public:
  const char* name() const noexcept override { return "stock"; }
  std::string message(int value) const override { return "stock error " + std::to_string(value); }
  std::error_condition default_error_condition(int value) const noexcept override {
    if (value == static_cast<int>(stock_errc::warehouse_away)) return std::errc::host_unreachable;
    if (value == static_cast<int>(stock_errc::door_locked)) return std::errc::permission_denied;
    return {value, *this};
  }
};

const std::error_category& stock_category() {
  static const stock_category_type category;
  return category;
}

std::error_code make_error_code(stock_errc error) { return {static_cast<int>(error), stock_category()}; }

// A type with the hook, a type derived from it, and an enum with the hook.
struct fetch_error {
  int status = 0;
};
relent::fault relent_fault(const fetch_error& error) {
  return {.kind = error.status == 503 ? relent::fault_kind::overloaded : relent::fault_kind::rejected};
}
struct slow_fetch_error : fetch_error {};

enum class verdict { retry_later, never };
relent::fault relent_fault(verdict v) {
  return {.kind = relent::fault_kind::unknown, .transient = v == verdict::retry_later};
}

struct coded_error {
  std::error_code code() const { return std::make_error_code(std::errc::timed_out); }
};

struct convertible_error {
  operator std::error_code() const { return std::make_error_code(std::errc::connection_reset); }
};

struct unclassified {};

}  // namespace warehouse

template <>
struct std::is_error_code_enum<warehouse::stock_errc> : std::true_type {};

namespace {

using relent::classify;
using relent::classify_errno;
using relent::effect;
using relent::fault;
using relent::fault_kind;
using relent::phase;

// What the error itself proves: nothing was done whatever the phase, or the phase decides.
enum class proof { always, by_phase };

struct errno_row {
  int code;
  const char* id;
  fault_kind kind;
  proof no_effect;
  bool local;
};

constexpr errno_row errnos[] = {
    {ECONNREFUSED, "ECONNREFUSED", fault_kind::unreachable, proof::always, false},
    {EHOSTUNREACH, "EHOSTUNREACH", fault_kind::unreachable, proof::by_phase, false},
    {ENETUNREACH, "ENETUNREACH", fault_kind::unreachable, proof::by_phase, false},
    {EHOSTDOWN, "EHOSTDOWN", fault_kind::unreachable, proof::by_phase, false},
    {ENETDOWN, "ENETDOWN", fault_kind::unreachable, proof::by_phase, false},
    {ECONNRESET, "ECONNRESET", fault_kind::reset, proof::by_phase, false},
    {ECONNABORTED, "ECONNABORTED", fault_kind::reset, proof::by_phase, false},
    {ENETRESET, "ENETRESET", fault_kind::reset, proof::by_phase, false},
    {ENOTCONN, "ENOTCONN", fault_kind::reset, proof::by_phase, false},
    {EPIPE, "EPIPE", fault_kind::reset, proof::by_phase, false},
    {ESHUTDOWN, "ESHUTDOWN", fault_kind::reset, proof::by_phase, false},
    {ETIMEDOUT, "ETIMEDOUT", fault_kind::timeout, proof::by_phase, false},
    {EAGAIN, "EAGAIN_of_a_socket_timeout", fault_kind::timeout, proof::by_phase, false},
    {EWOULDBLOCK, "EWOULDBLOCK_of_a_socket_timeout", fault_kind::timeout, proof::by_phase, false},
    {EADDRNOTAVAIL, "EADDRNOTAVAIL", fault_kind::unreachable, proof::always, true},
    {EMFILE, "EMFILE", fault_kind::overloaded, proof::by_phase, true},
    {ENFILE, "ENFILE", fault_kind::overloaded, proof::by_phase, true},
    {ENOBUFS, "ENOBUFS", fault_kind::overloaded, proof::by_phase, true},
    {ENOMEM, "ENOMEM", fault_kind::overloaded, proof::by_phase, true},
    {EACCES, "EACCES", fault_kind::rejected, proof::always, false},
    {EPERM, "EPERM", fault_kind::rejected, proof::always, false},
    {EINVAL, "EINVAL", fault_kind::rejected, proof::by_phase, false},
    {EBADF, "EBADF", fault_kind::rejected, proof::by_phase, false},
    {ENOTSOCK, "ENOTSOCK", fault_kind::rejected, proof::by_phase, false},
    {EFAULT, "EFAULT", fault_kind::rejected, proof::by_phase, false},
    {EAFNOSUPPORT, "EAFNOSUPPORT", fault_kind::rejected, proof::by_phase, false},
    {EPROTONOSUPPORT, "EPROTONOSUPPORT", fault_kind::rejected, proof::by_phase, false},
    {EOPNOTSUPP, "EOPNOTSUPP", fault_kind::rejected, proof::by_phase, false},
    {EMSGSIZE, "EMSGSIZE", fault_kind::rejected, proof::by_phase, false},
    {EINTR, "EINTR_repeats_the_call", fault_kind::aborted, proof::by_phase, false},
    {ECANCELED, "ECANCELED", fault_kind::cancelled, proof::by_phase, false},
    {EINPROGRESS, "EINPROGRESS_is_no_error", fault_kind::unknown, proof::by_phase, false},
    {EALREADY, "EALREADY_is_no_error", fault_kind::unknown, proof::by_phase, false},
    {EISCONN, "EISCONN_is_no_error", fault_kind::unknown, proof::by_phase, false},
    {0, "no_error", fault_kind::unknown, proof::by_phase, false},
    {-1, "no_errno_at_all", fault_kind::unknown, proof::by_phase, false},
};

class errno_value : public testing::TestWithParam<errno_row> {};

TEST_P(errno_value, has_a_kind_and_says_whose_shortage_it_is) {
  const fault found = classify_errno(GetParam().code);
  EXPECT_EQ(found.kind, GetParam().kind);
  EXPECT_EQ(found.local, GetParam().local);
  EXPECT_EQ(found.server_delay, std::nullopt);
  EXPECT_FALSE(found.vetoed);
}

TEST_P(errno_value, has_no_effect_without_a_phase_only_if_it_proves_so) {
  const effect expected = GetParam().no_effect == proof::always ? effect::none : effect::possible;
  EXPECT_EQ(effect_of(classify_errno(GetParam().code)), expected);
}

TEST_P(errno_value, has_no_effect_before_the_request_was_written) {
  for (const phase reached : {phase::resolve, phase::connect, phase::handshake, phase::connected})
    EXPECT_EQ(effect_of(classify_errno(GetParam().code, reached)), effect::none) << static_cast<int>(reached);
}

TEST_P(errno_value, may_have_an_effect_afterwards) {
  const effect expected = GetParam().no_effect == proof::always ? effect::none : effect::possible;
  for (const phase reached :
       {phase::request_partial, phase::request_written, phase::response_head, phase::response_body})
    EXPECT_EQ(effect_of(classify_errno(GetParam().code, reached)), expected) << static_cast<int>(reached);
}

TEST_P(errno_value, means_the_same_as_an_error_code) {
  if (GetParam().code <= 0) return;
  for (const std::error_category* category : {&std::generic_category(), &std::system_category()}) {
    const std::error_code code(GetParam().code, *category);
    EXPECT_EQ(classify(code), classify_errno(GetParam().code)) << category->name();
    EXPECT_EQ(classify(code, phase::connect), classify_errno(GetParam().code, phase::connect))
        << category->name();
  }
}

INSTANTIATE_TEST_SUITE_P(table, errno_value, testing::ValuesIn(errnos),
                         [](const auto& row) { return std::string(row.param.id); });

struct resolver_row {
  int code;
  const char* id;
  fault_kind kind;
  bool local;
};

constexpr resolver_row resolver_results[] = {
    {EAI_AGAIN, "EAI_AGAIN", fault_kind::unreachable, false},
    {EAI_NONAME, "EAI_NONAME", fault_kind::rejected, false},
    {EAI_MEMORY, "EAI_MEMORY", fault_kind::overloaded, true},
    {EAI_SERVICE, "EAI_SERVICE", fault_kind::rejected, false},
    {EAI_FAMILY, "EAI_FAMILY", fault_kind::rejected, false},
    {EAI_SOCKTYPE, "EAI_SOCKTYPE", fault_kind::rejected, false},
    {EAI_BADFLAGS, "EAI_BADFLAGS", fault_kind::rejected, false},
    {EAI_OVERFLOW, "EAI_OVERFLOW", fault_kind::rejected, false},
#if defined(EAI_NODATA)
    {EAI_NODATA, "EAI_NODATA", fault_kind::rejected, false},
#endif
#if defined(EAI_ADDRFAMILY)
    {EAI_ADDRFAMILY, "EAI_ADDRFAMILY", fault_kind::rejected, false},
#endif
#if defined(EAI_INTR)
    {EAI_INTR, "EAI_INTR", fault_kind::aborted, false},
#endif
#if defined(EAI_CANCELED)
    {EAI_CANCELED, "EAI_CANCELED", fault_kind::cancelled, false},
#endif
    {12345, "no_resolver_code", fault_kind::unknown, false},
};

class resolver_result : public testing::TestWithParam<resolver_row> {};

TEST_P(resolver_result, has_a_kind_and_never_an_effect) {
  const fault found = relent::classify_getaddrinfo(GetParam().code);
  EXPECT_EQ(found.kind, GetParam().kind);
  EXPECT_EQ(found.local, GetParam().local);
  EXPECT_EQ(effect_of(found), effect::none) << "nothing was sent";
}

INSTANTIATE_TEST_SUITE_P(table, resolver_result, testing::ValuesIn(resolver_results),
                         [](const auto& row) { return std::string(row.param.id); });

TEST(resolver, leaves_a_system_error_to_errno) {
  EXPECT_EQ(relent::classify_getaddrinfo(EAI_SYSTEM, ETIMEDOUT),
            (fault{.kind = fault_kind::timeout, .effect = effect::none}));
  EXPECT_EQ(relent::classify_getaddrinfo(EAI_SYSTEM, EMFILE),
            (fault{.kind = fault_kind::overloaded, .effect = effect::none, .local = true}));
  EXPECT_EQ(relent::classify_getaddrinfo(EAI_AGAIN, EMFILE).kind, fault_kind::unreachable)
      << "errno is stale unless the code says to look at it";
}

TEST(error_code, of_another_category_means_what_its_generic_equivalent_means) {
  EXPECT_EQ(classify(make_error_code(warehouse::stock_errc::warehouse_away)), classify_errno(EHOSTUNREACH));
  EXPECT_EQ(classify(make_error_code(warehouse::stock_errc::door_locked)), classify_errno(EACCES));
}

TEST(error_code, of_another_category_without_equivalent_is_unknown) {
  const std::error_code code = make_error_code(warehouse::stock_errc::shelf_empty);
  EXPECT_EQ(classify(code), fault{}) << "its number is no errno";
  EXPECT_EQ(effect_of(classify(code, phase::connect)), effect::none);
  EXPECT_EQ(effect_of(classify(code, phase::request_written)), effect::possible);
}

TEST(error_value, is_classified_by_the_hook_beside_its_type) {
  EXPECT_EQ(relent::detail::fault_of(warehouse::fetch_error{503}).kind, fault_kind::overloaded);
  EXPECT_EQ(relent::detail::fault_of(warehouse::fetch_error{404}).kind, fault_kind::rejected);
  EXPECT_EQ(relent::detail::fault_of(warehouse::slow_fetch_error{{503}}).kind, fault_kind::overloaded);
  EXPECT_EQ(relent::detail::fault_of(warehouse::verdict::retry_later).transient, true);
}

TEST(error_value, may_be_a_fault_itself) {
  const fault busy{.kind = fault_kind::overloaded, .server_delay = std::chrono::seconds{2}};
  EXPECT_EQ(relent::detail::fault_of(busy), busy);
  EXPECT_EQ(relent::detail::fault_of(fault_kind::aborted), (fault{.kind = fault_kind::aborted}));
}

TEST(error_value, that_is_an_error_enum_is_classified_by_its_code) {
  EXPECT_EQ(relent::detail::fault_of(warehouse::stock_errc::warehouse_away).kind, fault_kind::unreachable);
  EXPECT_EQ(relent::detail::fault_of(std::errc::timed_out).kind, fault_kind::timeout);
}

TEST(error_value, that_carries_an_error_code_is_classified_by_it) {
  EXPECT_EQ(relent::detail::fault_of(std::make_error_code(std::errc::broken_pipe)).kind, fault_kind::reset);
  EXPECT_EQ(relent::detail::fault_of(warehouse::coded_error{}).kind, fault_kind::timeout);
  EXPECT_EQ(relent::detail::fault_of(warehouse::convertible_error{}).kind, fault_kind::reset);
}

TEST(error_value, that_is_an_exception_is_classified_as_if_thrown) {
  const auto error = std::make_exception_ptr(std::system_error(std::make_error_code(std::errc::timed_out)));
  EXPECT_EQ(relent::detail::fault_of(error).kind, fault_kind::timeout);
}

static_assert(relent::detail::is_classified<warehouse::fetch_error> &&
              relent::detail::is_classified<warehouse::verdict>);
static_assert(relent::detail::is_classified<warehouse::stock_errc> &&
              relent::detail::is_classified<std::errc>);
static_assert(!relent::detail::is_classified<warehouse::unclassified>);
static_assert(!relent::detail::is_classified<int> && !relent::detail::is_classified<std::string>);

}  // namespace
