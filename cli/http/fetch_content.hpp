// SPDX-License-Identifier: Apache-2.0
// What the data flags of `relent fetch` say is to be sent. Sending it is in piped_body.hpp and the driver. Layer 5.
#pragma once

#include "cli/flags.hpp"

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace relent::cli {

/// What a request sends.
struct fetch_content {
  enum class kind : std::uint8_t {
    none,
    memory,  ///< bytes
    file,    ///< the file at path
    input,   ///< what comes from path, or from stdin if that is empty
  };
  kind is = kind::none;
  std::string bytes = {};
  std::string path = {};
  /// Of an input: how much there is has to be known before the first attempt, as --data-binary @- has it.
  bool read_first = false;
  /// The Content-Type that goes with it; empty: none.
  std::string_view type = {};
};

/// Something that is to be sent cannot be read. what() names it.
class content_error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What --data, its relatives, --json or --upload-file name. What is wrong is added to `problems`. Throws
/// content_error.
fetch_content read_content(const flag_values& values, std::vector<std::string>& problems);

}  // namespace relent::cli
