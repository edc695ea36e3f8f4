// SPDX-License-Identifier: Apache-2.0
// The log of `relent run`: one record for each attempt and one for the outcome, as text, JSON lines or
// logfmt. The fields are documented in docs/run_log.md, and stay as they are. Layer 5.
#pragma once

#include "told.hpp"

#include <relent/event.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace relent::cli {

enum class log_format : std::uint8_t { text, json, logfmt };
std::optional<log_format> log_format_from(std::string_view name) noexcept;

/// One field of a record. Numbers are written without quotes.
struct log_field {
  std::string_view name;
  std::string value;
  bool is_number = false;
};

/// A record in JSON, whatever bytes its values hold; without a newline.
std::string as_json(const std::vector<log_field>& fields);
/// The same in logfmt: a value with blanks, quotes, equals signs or other than visible characters is quoted.
std::string as_logfmt(const std::vector<log_field>& fields);

/// A file that records are appended to, each by a single write. One thread.
class log_file {
 public:
  /// `path` "-" is stderr. Throws std::system_error.
  explicit log_file(const std::string& path);
  ~log_file();
  log_file(const log_file&) = delete;
  log_file& operator=(const log_file&) = delete;

  /// Says once on stderr when it cannot be written.
  void append(std::string line);

 private:
  std::string path_;
  int descriptor_;
  bool failed_ = false;
};

/// Hears one call. One thread.
class run_log final : public observer {
 public:
  /// All must outlive it. `call` is the call's identity.
  run_log(log_file& file, log_format format, const told& facts, std::string_view call)
      : file_(file), format_(format), facts_(facts), call_(call) {}

  void on_event(const event& what) override;

  /// The call is over; `exit_code` is that of the tool.
  void end(int exit_code);

 private:
  std::vector<log_field> beginning(std::string_view kind) const;
  void write_attempt(const event& attempt, const event* retry, const event* outcome);
  void write(const std::vector<log_field>& fields, const std::string& sentence);

  log_file& file_;
  log_format format_;
  const told& facts_;
  std::string_view call_;
  std::optional<event> attempt_;  // ended, and not written yet: what follows is told with it
  std::optional<event> outcome_;
};

}  // namespace relent::cli
