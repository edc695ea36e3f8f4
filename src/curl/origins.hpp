// SPDX-License-Identifier: Apache-2.0
// The dependency of each origin, made at the first call to it.
#pragma once

#include <relent/dependency.hpp>

#include <cstddef>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace relent::curl::detail {

/// The address without what may be secret in it: what stands before an @, and the query.
std::string shown_address(std::string_view url);
/// The address without a name and password.
std::string without_userinfo(std::string_view url);

/// Looks a text up without a copy of it.
struct text_hash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>()(text); }
};

/// Thread-safe. Keeps the most recently used ones.
class origins {
 public:
  /// Throws options_error if the options have problems.
  origins(dependency_options options, std::size_t most);

  /// Throws std::invalid_argument for what is no http or https address.
  std::shared_ptr<dependency> of(std::string_view url);

 private:
  struct entry {
    std::string origin;
    std::shared_ptr<dependency> shared;
  };

  /// Both are called with the mutex held.
  std::shared_ptr<dependency> of_origin(const std::string& origin);
  void forget_oldest();

  const dependency_options options_;
  const std::size_t most_;
  std::mutex mutex_;
  // Guarded by mutex_.
  std::list<entry> by_use_;  // the latest first
  std::unordered_map<std::string_view, std::list<entry>::iterator> by_origin_;
  std::unordered_map<std::string, std::string, text_hash, std::equal_to<>>
      written_;  // how addresses begin, and the origin that is meant
};

}  // namespace relent::curl::detail
