// SPDX-License-Identifier: Apache-2.0
// Choosing the sink.
#include "answer_place.hpp"

#include "answer_sinks.hpp"
#include "transfer_progress.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace relent::cli {

answer_place::answer_place(const fetch_output& output, const web_address& address,
                           std::function<std::string_view()> version)
    : output_(output) {
  if (output.file && *output.file != "/dev/null") {
    const auto folder = std::filesystem::path(*output.file).parent_path();
    if (output.create_folders && !folder.empty()) std::filesystem::create_directories(folder);
    check_place(*output.file);
  }
  if (output.resume) {
    part_ = std::make_unique<part_file>(*output.file, address.without_user());
    resumed_ = std::make_shared<resumed_sink>(*part_);
  }
  plain_ = innermost();
  sink_ = output.include_head ? with_head(plain_, std::move(version)) : plain_;
}

curl::sink answer_place::innermost() {
  if (!output_.file) return stdout_sink();
  if (resumed_) return resumed_;
  return *output_.file == "/dev/null" ? discarding_sink() : curl::file_sink(*output_.file);
}

std::uint64_t answer_place::begin(http::header_list& headers) {
  if (!resumed_) return 0;
  resumed_->ask_for_rest(headers);
  return resumed_->asked_from().value_or(0);
}

bool answer_place::has_no_more(const curl::response& answer) const {
  constexpr int range_not_satisfiable = 416;
  return resumed_ && resumed_->asked_from() && answer.status == range_not_satisfiable;
}

void answer_place::write_failure(const curl::response& answer) {
  plain_->begin(answer.status, answer.headers);
  if (output_.include_head) plain_->write(head_text(answer.http_version, answer.status, answer.headers));
  plain_->write(answer.body);
  plain_->complete();
}

std::string answer_place::kept() const {
  if (!part_ || !part_->can_go_on()) return {};
  return fmt::format("{} of '{}' are kept: relent fetch --resume goes on from there",
                     short_size(part_->size()), *output_.file);
}

}  // namespace relent::cli
