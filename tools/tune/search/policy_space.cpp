// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/search/policy_space.h"

#include <algorithm>
#include <set>

#include "base/random.h"

namespace tegu::tune {
namespace {

// A different index of the axis. REQUIRES: the axis has at least two.
std::size_t another(const PolicyAxis& axis, std::size_t at, Random& random) {
    const std::size_t index = random.below(axis.values.size() - 1);
    return index + (index >= at);
}

PolicyPoint random_point(const PolicySpace& space, bool near, Random& random) {
    PolicyPoint point = default_point(space);
    if (!near) {
        for (std::size_t a = 0; a < point.size(); ++a) point[a] = random.below(space.axes[a].values.size());
        return point;
    }
    for (std::uint64_t changes = 1 + random.below(2); changes > 0; --changes) {
        const std::size_t a = random.below(point.size());
        if (space.axes[a].values.size() > 1) point[a] = another(space.axes[a], space.axes[a].initial, random);
    }
    return point;
}

}  // namespace

std::size_t add_value(PolicyAxis& axis, std::int64_t value) {
    const auto place = std::lower_bound(axis.values.begin(), axis.values.end(), value);
    const auto index = static_cast<std::size_t>(place - axis.values.begin());
    if (place != axis.values.end() && *place == value) return index;
    axis.values.insert(place, value);
    if (index <= axis.initial && axis.values.size() > 1) ++axis.initial;
    return index;
}

PolicyPoint default_point(const PolicySpace& space) {
    PolicyPoint point;
    for (const PolicyAxis& axis : space.axes) point.push_back(axis.initial);
    return point;
}

std::vector<PolicyPoint> sample_points(const PolicySpace& space, std::size_t count, std::uint64_t seed) {
    std::vector<PolicyPoint> points;
    if (space.axes.empty()) return points;
    std::set<PolicyPoint> seen = {default_point(space)};
    Random random(seed);
    // Small spaces have fewer points than that, so the tries are bounded.
    for (std::size_t tries = 0; points.size() < count && tries < 20 * count; ++tries) {
        PolicyPoint point = random_point(space, tries % 2 == 0, random);
        if (space.allows(point) && seen.insert(point).second) points.push_back(std::move(point));
    }
    return points;
}

std::vector<PolicyPoint> neighbours_of(const PolicySpace& space, const PolicyPoint& point) {
    std::vector<PolicyPoint> points;
    for (std::size_t a = 0; a < point.size(); ++a) {
        for (std::size_t index = 0; index < space.axes[a].values.size(); ++index) {
            const bool next = index + 1 == point[a] || index == point[a] + 1;
            if (index == point[a] || (space.axes[a].ordered && !next)) continue;
            PolicyPoint neighbour = point;
            neighbour[a] = index;
            if (space.allows(neighbour)) points.push_back(std::move(neighbour));
        }
    }
    return points;
}

}  // namespace tegu::tune
