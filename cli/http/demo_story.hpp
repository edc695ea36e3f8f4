// SPDX-License-Identifier: Apache-2.0
// What `relent demo` says in words: what is about to happen, and what was seen. What is said of the two runs is
// true of the numbers, whatever they are. Layer 5.
#pragma once

#include "demo_plan.hpp"
#include "demo_run.hpp"

#include <string>

namespace relent::cli {

std::string demo_introduction(const demo_plan& plan);
std::string demo_title(const demo_plan& plan, demo_half half);
std::string demo_table(const demo_plan& plan, const demo_result& naive, const demo_result& with_relent);
/// Three sentences, a paragraph each.
std::string demo_conclusion(const demo_plan& plan, const demo_result& naive, const demo_result& with_relent);

}  // namespace relent::cli
