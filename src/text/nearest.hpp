// SPDX-License-Identifier: Apache-2.0
// "Did you mean …?": the known word that a mistyped one is nearest to.
#pragma once

#include <span>
#include <string_view>

namespace relent::text {

/// The known word that the fewest inserted, dropped, changed or swapped letters lead to; empty if that
/// would take more than a third of the word's length, one letter at least.
std::string_view nearest(std::string_view word, std::span<const std::string_view> known);

}  // namespace relent::text
