// SPDX-License-Identifier: Apache-2.0
// The names of signals.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace relent::text {

/// "SIGSEGV"; "signal 35" for those without a name.
std::string signal_name(int signal);

/// The signal that the word names, with or without SIG before it, in either case of letters.
std::optional<int> signal_from(std::string_view word);

}  // namespace relent::text
