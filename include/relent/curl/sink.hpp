// SPDX-License-Identifier: Apache-2.0
// Where the body of a response goes: nowhere before it is certain, so that no byte of a failed attempt is taken for
// one of the answer. Target relent::curl.
#pragma once

#include <relent/http/header_list.hpp>

#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace relent::curl {

/// Takes the body of the answer. Of the attempts only those whose status is below 400 reach it; each calls
/// begin, and complete follows only if the body came whole. What a member throws ends the call, which throws it.
class body_sink {
 public:
  body_sink() = default;
  body_sink(const body_sink&) = delete;
  body_sink& operator=(const body_sink&) = delete;
  virtual ~body_sink() = default;

  /// A body begins: what was written since the last begin belongs to an attempt that failed.
  virtual void begin(int status, const http::header_list& headers) = 0;
  virtual void write(std::string_view bytes) = 0;
  /// The body was whole. Called once, by the attempt that succeeded.
  virtual void complete() = 0;
};

using sink = std::shared_ptr<body_sink>;

/// A file that is whole or untouched: written beside its place, put there (rename) when complete, removed
/// otherwise. An existing file keeps its permissions, and a symbolic link goes on pointing to it. A device or pipe
/// gets the whole body once it is certain. begin throws std::system_error if the file cannot be created.
sink file_sink(std::string path);
/// Hands the whole body to `take`, piece by piece, once it is certain: until then it is kept in memory up to
/// 1 MiB, beyond that in an unlinked file of TMPDIR.
sink spooled_sink(std::function<void(std::string_view bytes)> take);

}  // namespace relent::curl
