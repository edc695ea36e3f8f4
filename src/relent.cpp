// SPDX-License-Identifier: Apache-2.0
// Every body of the core, compiled once: the library behind relent::compiled.
// Nothing else is defined here.

#include <relent/impl/backoff.ipp>
#include <relent/impl/backoff_arithmetic.ipp>
#include <relent/impl/backoff_v2.ipp>
#include <relent/impl/breaker.ipp>
#include <relent/impl/breaker_options.ipp>
#include <relent/impl/breaker_window.ipp>
#include <relent/impl/budget.ipp>
#include <relent/impl/budget_level.ipp>
#include <relent/impl/budget_window.ipp>
#include <relent/impl/classify.ipp>
#include <relent/impl/counters.ipp>
#include <relent/impl/dependency.ipp>
#include <relent/impl/duration_text.ipp>
#include <relent/impl/engine_rules.ipp>
#include <relent/impl/fault.ipp>
#include <relent/impl/idempotency_key.ipp>
#include <relent/impl/policy.ipp>
#include <relent/impl/posix.ipp>
#include <relent/impl/random.ipp>
#include <relent/impl/real_clock.ipp>
#include <relent/impl/refusal.ipp>
#include <relent/impl/report.ipp>
#include <relent/impl/retry.ipp>
#include <relent/impl/retry_run.ipp>
#include <relent/impl/retry_telling.ipp>
#include <relent/impl/sender_limit.ipp>
#include <relent/impl/sender_limit_arithmetic.ipp>
#include <relent/impl/typed_operation.ipp>
