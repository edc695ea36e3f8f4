// SPDX-License-Identifier: Apache-2.0
// The table of steps: their names, what stands in their parentheses, the options that they have.
#pragma once

#include <cstdint>
#include <string_view>

#include "script.hpp"
#include "step_options.hpp"

namespace relent::testing::faults {

/// What stands in the parentheses before any option.
enum class first_value : std::uint8_t { none, length, length_if_any, rate };

struct step_word {
  std::string_view name;
  step_kind kind;
  first_value first;
  option_set allowed;
};

inline constexpr option_set of_status =
    options::content | options::delay | options::keep_alive | options::read | options::execute;

inline constexpr step_word words[] = {
    {"late", step_kind::answer, first_value::length, of_status & ~(options::delay | options::read)},
    {"reset", step_kind::reset, first_value::none,
     options::content | options::cut | options::before | options::execute},
    {"close", step_kind::close, first_value::none, options::content | options::cut | options::execute},
    {"unclean", step_kind::unclean, first_value::none,
     (options::content & ~options::framing) | options::delay | options::execute},
    {"stall", step_kind::stall, first_value::length_if_any,
     options::content | options::cut | options::hold | options::execute},
    {"drip", step_kind::answer, first_value::rate, of_status & ~options::read},
    {"malformed", step_kind::malformed, first_value::none, options::execute},
    {"401-until-refresh", step_kind::unauthenticated, first_value::none,
     options::body | options::type | options::header | options::date | options::keep_alive},
    {"409-while-in-flight", step_kind::in_flight, first_value::length_if_any,
     options::content | options::keep_alive},
    {"idle-close", step_kind::idle_close, first_value::none,
     (options::content & ~options::framing) | options::delay | options::execute},
    {"refuse", step_kind::refuse, first_value::length, 0},
    {"random", step_kind::random, first_value::none, 0},
};

struct malformed_word {
  std::string_view name;
  malformation wrong;
};

inline constexpr malformed_word malformations[] = {
    {"status", malformation::status}, {"head", malformation::head}, {"length", malformation::length},
    {"chunk", malformation::chunk},   {"nul", malformation::nul},   {"big-header", malformation::big_header},
};

}  // namespace relent::testing::faults
