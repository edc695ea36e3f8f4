// SPDX-License-Identifier: Apache-2.0
// How the tool speaks: whole lines, one write each, straight to a descriptor. A closed or full
// descriptor never ends the tool. What is said is the business of its callers. Layer 5.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace relent::cli {

/// Whether stderr is a terminal that understands colours and how a line is erased.
bool stderr_is_terminal() noexcept;

/// Writes all of `text` to the descriptor; false if it could not be written in full.
bool write_all(int descriptor, std::string_view text) noexcept;

/// "relent: ", dimmed on a terminal unless NO_COLOR is set.
std::string message_prefix();

/// The text with a blank for each control character, so that it stays one line and harmless on a terminal.
std::string printable(std::string_view text);

/// One line on stderr, "relent: " before it and a newline after it.
void say(std::string_view line);

/// What is wrong with how a subcommand was called, a line each, on stderr: "relent run: --base: …".
/// Returns the exit code for it, 125.
int refuse(std::string_view subcommand, std::span<const std::string> problems);

/// Text for whoever asked for it (help, version), on stdout. Returns the exit code: 125 if it got lost.
int answer(std::string_view text);

/// Puts a placeholder on each of descriptors 0 to 2 that is closed, so that no file the tool opens
/// is mistaken for one of them. Commands still find them closed.
void reserve_standard_descriptors() noexcept;

}  // namespace relent::cli
