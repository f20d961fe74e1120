// SPDX-License-Identifier: Apache-2.0
#include "kernels/topk/cpu/bucket_map.h"

#include <algorithm>

namespace tegu::kernels::topk {

// A bucket is closed when it has an equal share of the sample. It is also closed before a cell that would
// make it 1.5 times as large, or that makes several buckets itself. So one of two neighbours has its share,
// or both together have it. There are at most twice as many buckets as wanted, plus the last, plus that of a
// tie.
static_assert(kMaxBuckets >= 2 * kMaxWantedBuckets + 2,
              "build_map() and a bucket for a tie may need as many");

std::uint32_t build_map(const std::uint64_t* sample, std::uint64_t covered, std::uint64_t limit,
                        std::uint64_t wanted, BucketMap& map, std::uint64_t* uppers) {
    map.lowest = std::min(sample[0], limit);
    map.limit = limit;
    map.has_tie = false;
    map.flat = true;
    const unsigned bits = width_of(limit - map.lowest);
    map.cell_shift = bits > kCellBits ? bits - kCellBits : 0;
    const std::uint64_t each = std::max<std::uint64_t>(1, (covered + wanted - 1) / wanted);
    const std::uint64_t last_cell = (limit - map.lowest) >> map.cell_shift;
    // Cells beyond the limit form one bucket, too: if elements change, a later limit may include keys of
    // them.
    std::fill(map.first, map.first + kCells + 1, 0);
    std::fill(map.shift, map.shift + kCells, static_cast<std::uint8_t>(map.cell_shift));
    std::uint32_t bucket = 0;
    std::uint64_t weight = 0;  // of the open bucket
    std::uint64_t next = 0;    // in the sample
    bool open = false;
    for (std::uint64_t cell = 0; cell <= last_cell; ++cell) {
        const std::uint64_t begin = map.lowest + (cell << map.cell_shift);
        const std::uint64_t end =
            cell == last_cell ? limit : begin + ((std::uint64_t{1} << map.cell_shift) - 1);
        const std::uint64_t before = next;
        while (next < covered && sample[next] <= end) ++next;
        const std::uint64_t mine = next - before;
        unsigned parts = 0;  // log2; more would not help a single value
        const bool single = mine > 0 && sample[before] == sample[next - 1];
        while (!single && parts < map.cell_shift && mine >> (parts + 1) >= each) ++parts;
        if (open && (parts > 0 || weight + mine > each + each / 2)) {
            uppers[bucket++] = begin - 1;
            weight = 0;
        }
        map.first[cell] = bucket;
        map.shift[cell] = static_cast<std::uint8_t>(map.cell_shift - parts);
        map.flat = map.flat && parts == 0;
        for (std::uint64_t part = 1; part < std::uint64_t{1} << parts; ++part) {
            // of the cell so far; it may end beyond the limit
            const std::uint64_t keys = part << (map.cell_shift - parts);
            uppers[bucket++] = keys > limit - begin ? limit : begin + keys - 1;
        }
        weight += mine >> parts;
        open = true;
        if (parts == 0 && weight < each) continue;
        uppers[bucket++] = end;
        weight = 0;
        open = false;
    }
    if (!open) --bucket;
    uppers[bucket] = limit;
    map.first[kTieCell] = 0;
    return bucket + 1;
}

}  // namespace tegu::kernels::topk
