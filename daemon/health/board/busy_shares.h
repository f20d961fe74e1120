// SPDX-License-Identifier: Apache-2.0
// BusyShares: the busy share of each executor in the last interval, from cumulative times. Pure; the value
// changes only with new times.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tegu::daemon::health {

class BusyShares {
  public:
    // `busy_ns`: since the start. REQUIRES: times of a name do not decrease.
    void refresh(const std::string& name, std::uint64_t busy_ns, std::uint64_t now_ns) {
        Seen& seen = seen_[name];
        const std::uint64_t passed_ns = now_ns - seen.at_ns;
        if (seen.at_ns != 0 && passed_ns > 0) {
            const double share = static_cast<double>(busy_ns - seen.busy_ns) / static_cast<double>(passed_ns);
            seen.ratio = share < 1 ? share : 1;
        }
        seen = {busy_ns, now_ns, seen.ratio};
    }
    // 0 to 1; 0 before the second reading.
    double ratio(const std::string& name) const {
        const auto found = seen_.find(name);
        return found == seen_.end() ? 0 : found->second.ratio;
    }

  private:
    struct Seen {
        std::uint64_t busy_ns = 0, at_ns = 0;
        double ratio = 0;
    };
    std::map<std::string, Seen> seen_;
};

}  // namespace tegu::daemon::health
