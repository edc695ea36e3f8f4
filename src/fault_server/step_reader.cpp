// SPDX-License-Identifier: Apache-2.0
// A step is read from left to right; what its parts are to each other is checked at its end.
#include "step_reader.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "step_options.hpp"
#include "step_words.hpp"

namespace relent::testing::faults {
namespace {

template <class Table>
auto names_of(const Table& table) {
  std::array<std::string_view, sizeof(Table) / sizeof(table[0])> out{};
  std::transform(std::begin(table), std::end(table), out.begin(), [](const auto& each) { return each.name; });
  return out;
}

bool is_number(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) { return c >= '0' && c <= '9'; });
}

class step_reading {
 public:
  step_reading(script_cursor& cursor, step_place place, bool tls)
      : cursor_(cursor), place_(place), tls_(tls) {}

  std::optional<step> read() {
    cursor_.skip_blanks();
    at_ = cursor_.at();
    const std::size_t problems = cursor_.problems();
    if (!read_name()) {
      cursor_.skip_to_separator();
      return std::nullopt;
    }
    if (!read_.has_choices) read_parentheses();
    if (place_ == step_place::walk) read_repeat();
    if (cursor_.problems() == problems) check();
    return cursor_.problems() == problems ? std::optional(step_) : std::nullopt;
  }

 private:
  bool read_name() {
    name_ = cursor_.word();
    if (is_number(name_)) return read_status();
    const auto* const word = std::find_if(std::begin(words), std::end(words),
                                          [&](const step_word& each) { return each.name == name_; });
    if (word == std::end(words)) {
      cursor_.problem(at_, name_.empty() ? "a step is missing here: write a status, or reset, stall, ..."
                                         : unknown_word(name_, "step", names_of(words)));
      return false;
    }
    word_ = *word;
    step_.kind = word_.kind;
    if (word_.kind == step_kind::unauthenticated) step_.status = 401;
    if (word_.kind == step_kind::in_flight) step_.delay = detail::seconds(1);
    if (word_.kind == step_kind::unclean) step_.framing = body_framing::close;
    if (word_.kind == step_kind::malformed) return read_malformed();
    if (word_.kind == step_kind::random) return read_choices();
    return fits_place();
  }

  bool read_status() {
    word_ = {name_, step_kind::answer, first_value::none, of_status};
    const auto status = cursor_.as_count({std::string(name_), at_, false}, "the status", 100, 599);
    if (status) step_.status = static_cast<std::uint16_t>(*status);
    return status.has_value();
  }

  bool fits_place() {
    const bool walks = word_.kind == step_kind::unauthenticated || word_.kind == step_kind::in_flight;
    if (place_ == step_place::walk || !walks) return true;
    cursor_.problem(at_, std::string(name_) + " can only stand in a sequence");
    return false;
  }

  bool read_malformed() {
    if (!cursor_.accept('=')) return true;
    const std::size_t at = cursor_.at();
    const std::string_view name = cursor_.word();
    const auto* const found = std::find_if(std::begin(malformations), std::end(malformations),
                                           [&](const malformed_word& each) { return each.name == name; });
    if (found == std::end(malformations)) {
      cursor_.problem(at, unknown_word(name, "way to be malformed", names_of(malformations)));
      return false;
    }
    step_.wrong = found->wrong;
    return true;
  }

  bool read_choices() {
    read_.has_choices = true;
    if (place_ != step_place::walk) {
      cursor_.problem(at_, "random can only stand in a sequence");
      return false;
    }
    if (!cursor_.accept('(')) {
      cursor_.problem(at_, "random needs its choices: write random(503:0.3, 200:0.7)");
      return false;
    }
    do {
      read_choice();
    } while (cursor_.accept(','));
    return close_parenthesis();
  }

  void read_choice() {
    auto choice = read_step(cursor_, step_place::choice, tls_);
    const std::size_t at = cursor_.at();
    if (!cursor_.accept(':')) {
      if (choice) cursor_.problem(at, "a choice needs its weight: write 503:0.3");
      return cursor_.skip_to_separator();
    }
    const value_text text = cursor_.value(",)");
    const auto weight = cursor_.as_number(text, "the weight");
    if (weight && *weight <= 0) cursor_.problem(text.at, "a weight has to be greater than 0");
    if (!choice || !weight) return;
    choice->weight = *weight;
    step_.choices.push_back(*choice);
  }

  bool close_parenthesis() {
    const std::size_t at = cursor_.at();
    if (cursor_.accept(')')) return true;
    cursor_.problem(
        at, cursor_.at_end() ? "a parenthesis is missing here" : "a comma or parenthesis is missing here");
    cursor_.skip_to_separator();
    return cursor_.accept(')');
  }

  void read_parentheses() {
    if (!cursor_.accept('(')) return;
    if (first() != first_value::none) read_first();
    if (read_.first && !cursor_.accept(',')) {
      close_parenthesis();
      return;
    }
    do {
      read_option(cursor_, word_.allowed, name_, step_, given_);
      cursor_.skip_blanks();
      if (!cursor_.at_end() && cursor_.peek() != ',' && cursor_.peek() != ')') {
        cursor_.problem(cursor_.at(), "a comma or parenthesis is missing here");
        cursor_.skip_to_separator();
      }
    } while (cursor_.accept(','));
    close_parenthesis();
  }

  /// What the parentheses begin with; the size of a big header comes as one too.
  first_value first() const {
    const bool big = word_.kind == step_kind::malformed && step_.wrong == malformation::big_header;
    return big ? first_value::length : word_.first;
  }

  /// The value without a name, where one begins here: not where an option's name and = do.
  void read_first() {
    const std::size_t begin = cursor_.at();
    cursor_.skip_blanks();
    (void)cursor_.word();
    const bool is_option = cursor_.accept('=');
    cursor_.move_to(begin);
    if (is_option) return;
    read_.first = true;
    const value_text value = cursor_.value(",)");
    if (word_.first == first_value::rate) return read_rate(value);
    if (word_.kind == step_kind::malformed) {
      if (const auto size = cursor_.as_size(value, "the size of", largest_header)) step_.junk = *size;
      return;
    }
    const auto length = cursor_.as_duration(value, "the time");
    if (!length) return;
    if (word_.kind == step_kind::stall) {
      step_.hold = *length;
    } else {
      step_.delay = *length;
    }
  }

  void read_rate(const value_text& value) {
    const std::size_t slash = value.text.rfind("/s");
    if (slash == std::string::npos || slash + 2 != value.text.size())
      return cursor_.problem(value.at, "a pace is a size a second: write drip(1KB/s)");
    step_.rate = cursor_.as_size({value.text.substr(0, slash), value.at, false}, "the pace", largest_body);
    if (step_.rate && *step_.rate == 0) cursor_.problem(value.at, "a pace of nothing never ends: use stall");
  }

  void read_repeat() {
    if (!cursor_.accept('*')) return;
    cursor_.skip_blanks();
    const std::size_t at = cursor_.at();
    const auto times =
        cursor_.as_count({std::string(cursor_.word()), at, false}, "the number of repeats", 1, 1'000'000'000);
    if (times) step_.repeat = *times;
  }

  void check() {
    check_first();
    if (tls_ || step_.kind != step_kind::unclean) {
      check_body();
      check_content();
      check_execution();
    } else {
      cursor_.problem(at_, "unclean needs TLS: without it the end of a connection looks like any other");
    }
    if (step_.kind == step_kind::answer && step_.rate && step_.body.from == body_spec::source::reason)
      step_.body = {body_spec::source::pattern, std::min(*step_.rate * 10, largest_body), ""};
  }

  void check_first() {
    if (step_.kind == step_kind::refuse && place_ == step_place::rule) {
      if (read_.first) cursor_.problem(at_, "how long to refuse is told by the outage: write refuse alone");
      return;
    }
    if (read_.first || (first() != first_value::length && first() != first_value::rate)) return;
    const std::string example = first() == first_value::rate         ? "(1KB/s)"
                                : step_.kind == step_kind::malformed ? "=big-header(10MB)"
                                                                     : "(2s)";
    cursor_.problem(at_,
                    std::string(name_) + " needs to be told how much: write " + std::string(name_) + example);
  }

  /// Statuses that cannot have a body; cuts that lie outside of it. A cut without a body gets one.
  void check_body() {
    const bool bodiless = step_.kind == step_kind::answer &&
                          (step_.status == 204 || step_.status == 205 || step_.status == 304);
    if (bodiless && (given_.given & (options::body | options::framing)) != 0)
      cursor_.problem(at_, "an answer " + std::string(name_) + " has no body: leave out body and framing");
    if (!step_.cut) return;
    if (step_.body.from == body_spec::source::reason) {
      step_.body = {body_spec::source::pattern, std::max<std::uint64_t>(1024, *step_.cut * 2), ""};
      return;
    }
    const std::uint64_t size =
        step_.body.from == body_spec::source::text ? step_.body.text.size() : step_.body.size;
    if (*step_.cut >= size)
      cursor_.problem(at_, "after=" + std::to_string(*step_.cut) + " does not lie in a body of " +
                               std::to_string(size) + " bytes: it would not be cut");
  }

  void check_content() {
    const bool cuts = (word_.allowed & options::cut) != 0;
    if (cuts && !step_.cut && (given_.given & options::content) != 0)
      cursor_.problem(
          at_, std::string(name_) + " answers nothing: give after=SIZE, or leave out what is answered");
    if (step_.before_head && step_.cut) cursor_.problem(at_, "a reset is either before=head or after=SIZE");
    if (step_.kind == step_kind::stall && read_.first && (given_.given & options::hold) != 0)
      cursor_.problem(at_, "how long stall holds is told twice");
  }

  void check_execution() {
    const bool unread = step_.head_only || step_.before_head;
    const bool told = (given_.given & options::execute) != 0;
    step_.executes = told ? given_.execute : executes_by_itself(step_);
    if (step_.executes && unread)
      cursor_.problem(at_, "what has not been read cannot be executed: leave out execute=yes");
  }

  struct progress {
    bool first = false;        ///< the value without a name was there
    bool has_choices = false;  ///< the parentheses were those of random
  };

  script_cursor& cursor_;
  step_place place_;
  bool tls_;
  std::size_t at_ = 0;
  std::string_view name_;
  step_word word_{};
  step step_{};
  given_options given_{};
  progress read_{};
};

}  // namespace

std::optional<step> read_step(script_cursor& cursor, step_place place, bool tls) {
  return step_reading(cursor, place, tls).read();
}

}  // namespace relent::testing::faults
