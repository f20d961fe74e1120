// SPDX-License-Identifier: Apache-2.0
// The policies of a search: a grid of candidate values with one axis for each field. Points are indices into
// the axes, so that samples, neighbours and comparisons are independent of the fields.
// tools/tune/search/policies.h creates the grid of an operation.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tegu::tune {

struct PolicyAxis {
    std::string name;
    std::vector<std::int64_t> values;  // ascending; the default is one of them
    std::size_t initial = 0;           // index of the default
    bool ordered = true;               // neighbours are alike; else choices
};

// An index for each axis.
using PolicyPoint = std::vector<std::size_t>;

struct PolicySpace {
    std::vector<PolicyAxis> axes;
    std::function<bool(const PolicyPoint&)>
        is_valid;  // of fields that limit each other; empty: every point is valid

    bool allows(const PolicyPoint& point) const { return !is_valid || is_valid(point); }
};

// The index of the value, which becomes a candidate if it is none. Points that were made before are not of
// this space any more.
std::size_t add_value(PolicyAxis& axis, std::int64_t value);

PolicyPoint default_point(const PolicySpace& space);

// Up to `count` different valid points at random, the default not among them; the same for the same seed.
// Half of them differ from the default in one or two fields, as most good ones do.
std::vector<PolicyPoint> sample_points(const PolicySpace& space, std::size_t count, std::uint64_t seed);
// The valid points that differ in one field: by one step on an ordered axis, by any other choice.
std::vector<PolicyPoint> neighbours_of(const PolicySpace& space, const PolicyPoint& point);

}  // namespace tegu::tune
