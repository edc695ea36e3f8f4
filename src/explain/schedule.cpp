// SPDX-License-Identifier: Apache-2.0
// The schedule: what of the walk over the retries is kept.
#include <relent/explain/schedule.hpp>

#include "waits_walk.hpp"

namespace relent {

schedule schedule_of(const backoff_options& options, std::uint32_t retries, std::size_t most_rows) {
  schedule result;
  result.mean_is_exact = !detail::has_memory(options.jitter);
  detail::waits_walk walk(options, retries, detail::means::wanted);
  while (walk.next()) {
    const detail::stretch& here = walk.here();
    result.last = {here.last, here.wait, here.total};
    if (result.rows.size() < most_rows && here.last == result.rows.size() + 1)
      result.rows.push_back(result.last);
  }
  return result;
}

}  // namespace relent
