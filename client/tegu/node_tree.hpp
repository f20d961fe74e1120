// SPDX-License-Identifier: Apache-2.0
// NodeTree: closes the canonical tree over the nodes of pieces, which come in any order. docs/partials.md
// explains nodes.
#pragma once

#include <cstdint>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#if defined(__has_include) && __has_include("client/tegu.h")
#include "client/tegu.h"
#else
#include <tegu.h>
#endif

namespace tegu {
namespace client {

// The one NaN of results, and +0 for -0.
inline double canonical(double value) {
    return value == value ? value + 0.0 : std::numeric_limits<double>::quiet_NaN();
}
// Adds two halves, to the bit as the daemon does.
template <class Value>
struct MergeSums {
    Value operator()(const Value& left, const Value& right) const { return left + right; }
};
template <>
struct MergeSums<double> {
    double operator()(double left, double right) const { return canonical(left + right); }
};
// A node of the tree of moments, words 2 to 5 of a node of floats: count, sum, and sum of squared deviations
// from the mean. The variance is q / (n - ddof).
struct Moments {
    double n = 0;
    double s = 0;
    double q = 0;
    std::uint64_t flags = 0;  // not 0: an element is NaN (1) or infinite (2), and so is the variance NaN
};
// Merges two halves, to the bit as the daemon does, whatever the compiler contracts.
struct MergeMoments {
    Moments operator()(const Moments& left, const Moments& right) const {
        if ((left.flags | right.flags) != 0) return Moments{0, 0, 0, left.flags | right.flags};
        if (right.n == 0) return left;
        if (left.n == 0) return right;
        const double n = left.n + right.n;
        const double apart = left.n == right.n ? left.s - right.s : left.s / left.n - right.s / right.n;
        volatile double between = apart * apart;
        between = left.n == right.n ? between / n : between * ((left.n * right.n) / n);
        return Moments{n, canonical(left.s + right.s), canonical((left.q + right.q) + between), 0};
    }
};

// The nodes of one array. Value: what a node holds, such as its sum. Merge: joins the values of two halves.
template <class Value, class Merge = MergeSums<Value>>
class NodeTree {
  public:
    explicit NodeTree(Merge merge = Merge()) : merge_(std::move(merge)) {}

    // Adds a node of the piece at `offset`. False: another node has some of its elements; nothing changes.
    // REQUIRES: a node of tegu_piece_nodes() for that offset.
    bool put(std::uint64_t offset, const tegu_node& node, const Value& value) {
        return put_chunks((offset + node.begin) / kChunk, (node.count + kChunk - 1) / kChunk, value);
    }

    // The value of an array of `total` elements. Nothing: elements are missing, because a piece is, or
    // because pieces do not meet at multiples of 16384 elements.
    std::optional<Value> root(std::uint64_t total) const {
        std::uint64_t end = 0;
        for (const auto& [first, node] : nodes_) {
            if (first != end) return std::nullopt;
            end = first + node.chunks;
        }
        if (end == 0 || end != total / kChunk + (total % kChunk != 0)) return std::nullopt;
        auto at = nodes_.rbegin();
        Value value = at->second.value;
        while (++at != nodes_.rend()) value = merge_(at->second.value, value);
        return value;
    }

  private:
    static constexpr std::uint64_t kChunk = 16384;  // elements
    struct Node {
        std::uint64_t chunks;  // a power of two
        Value value;
    };

    bool put_chunks(std::uint64_t first, std::uint64_t chunks, Value value) {
        const auto next = nodes_.lower_bound(first);
        if (next != nodes_.end() && next->first < first + chunks) return false;
        if (next != nodes_.begin() && std::prev(next)->first + std::prev(next)->second.chunks > first)
            return false;
        for (;; chunks *= 2) {
            const bool is_right = first / chunks % 2 != 0;
            const auto other = nodes_.find(is_right ? first - chunks : first + chunks);
            if (other == nodes_.end() || other->second.chunks != chunks) break;
            value = is_right ? merge_(other->second.value, value) : merge_(value, other->second.value);
            first = is_right ? first - chunks : first;
            nodes_.erase(other);
        }
        nodes_.emplace(first, Node{chunks, std::move(value)});
        return true;
    }

    Merge merge_;
    std::map<std::uint64_t, Node> nodes_;  // by their first chunk
};

}  // namespace client
}  // namespace tegu
