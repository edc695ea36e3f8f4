// SPDX-License-Identifier: Apache-2.0
// The address given to `relent fetch`: as it is asked for, and as it may be shown. Layer 5.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace relent::cli {

/// An http or https address, in its parts.
class web_address {
 public:
  /// As curl takes it: without a scheme it is http. Nothing, and a phrase that goes on from the text in `problem`,
  /// if it is none.
  static std::optional<web_address> read(std::string_view text, std::string& problem);

  /// What is asked for, without a fragment.
  std::string text() const;
  /// For messages and logs: without password, query and fragment.
  std::string shown() const;
  /// Without user and password, to compare by.
  std::string without_user() const;
  std::string_view scheme() const noexcept { return scheme_; }
  /// The last part of the path; may be empty.
  std::string_view last_name() const noexcept;

  /// Whether curl would make several addresses of it, for its braces and brackets.
  bool is_pattern() const;

  void add_query(std::string_view more);
  /// Behind a path that ends with a slash; what is not plain is escaped.
  void add_name(std::string_view name);

 private:
  std::string scheme_;
  std::string user_;  ///< with the password and the @
  std::string host_;  ///< with the port
  std::string path_;
  std::optional<std::string> query_;
};

}  // namespace relent::cli
