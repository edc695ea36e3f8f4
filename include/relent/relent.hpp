// SPDX-License-Identifier: Apache-2.0
// Everything in the core. What needs a library of its own (and the testing stand-ins) is included by name.
#pragma once

#include <relent/attempt.hpp>
#include <relent/backoff.hpp>
#include <relent/breaker.hpp>
#include <relent/budget.hpp>
#include <relent/call_options.hpp>
#include <relent/call_state.hpp>
#include <relent/classify.hpp>
#include <relent/clock.hpp>
#include <relent/counters.hpp>
#include <relent/deadline.hpp>
#include <relent/dependency.hpp>
#include <relent/duration_text.hpp>
#include <relent/engine.hpp>
#include <relent/event.hpp>
#include <relent/exception_classifier.hpp>
#include <relent/fault.hpp>
#include <relent/idempotency_key.hpp>
#include <relent/optional.hpp>
#include <relent/outcome.hpp>
#include <relent/policy.hpp>
#include <relent/problem.hpp>
#include <relent/random.hpp>
#include <relent/refusal.hpp>
#include <relent/report.hpp>
#include <relent/retry.hpp>
#include <relent/sender_limit.hpp>
#include <relent/stop.hpp>
#include <relent/time.hpp>
#include <relent/version.hpp>
