// SPDX-License-Identifier: Apache-2.0
// Where the answer of one `relent fetch` goes: stdout, a file, or a file that is fetched in parts. Layer 5.
#pragma once

#include "fetch_order.hpp"
#include "part_file.hpp"
#include "resumed_sink.hpp"

#include <relent/curl/response.hpp>
#include <relent/curl/sink.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace relent::cli {

/// One thread.
class answer_place {
 public:
  /// `version` is asked for when the head of an answer is there: "1.1". Throws std::system_error if nothing can be
  /// written there. The output must outlive it.
  answer_place(const fetch_output& output, const web_address& address,
               std::function<std::string_view()> version);

  const curl::sink& sink() const noexcept { return sink_; }

  /// Before an attempt: asks for what is missing. Returns how many bytes are there already.
  std::uint64_t begin(http::header_list& headers);
  /// How much of a file is there, to see whether anything came.
  std::uint64_t size() const noexcept { return part_ ? part_->size() : 0; }
  /// Whether the answer says that there is nothing from where on was asked.
  bool has_no_more(const curl::response& answer) const;
  /// Then: whether that is since the file was whole, and now in its place.
  bool was_whole(const curl::response& answer) { return resumed_->was_whole(answer.headers); }

  /// The body of a failure too.
  void write_failure(const curl::response& answer);
  /// What of the file is kept for the next run, as a sentence; empty if nothing is.
  std::string kept() const;

 private:
  curl::sink innermost();

  const fetch_output& output_;
  std::unique_ptr<part_file> part_;
  std::shared_ptr<resumed_sink> resumed_;
  curl::sink plain_;  // without the head before it
  curl::sink sink_;
};

}  // namespace relent::cli
