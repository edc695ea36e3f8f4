// SPDX-License-Identifier: Apache-2.0
// The pages: a file each. Made when asked for, so that they cost nothing until then. Layer 5.
#pragma once

#include "../page.hpp"

#include <span>
#include <vector>

namespace relent::cli {

page relent_page();
page run_page();
page fetch_page();
page explain_page();
page budget_page();
page faults_page();
page demo_page();
page policy_page();  ///< relent-policy(5)

/// The flags alone, without the rest of the page.
std::span<const flag_group> run_flags();
std::span<const flag_group> fetch_flags();
std::span<const flag_group> explain_flags();

/// All of them, relent(1) first.
std::vector<page> all_pages();

}  // namespace relent::cli
