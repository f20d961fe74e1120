// SPDX-License-Identifier: Apache-2.0
// The jobs that evaluate the choice between CPU and GPU: every operation, several element types, rows,
// details, and sizes from 1e3 elements on.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/operations.h"
#include "client/tegu.hpp"

namespace tegu::bench {

// A kind of job; with a size it is a case.
struct PlacementKind {
    std::string name;           // "reduce/f32/sum"
    std::string operation;      // stem
    std::uint8_t type = 0;      // TEGU_F32, ...
    std::uint64_t columns = 0;  // of its rows; 0: one segment; of an image: as many as rows
    bool is_image = false;
    unsigned inputs = 1;
    // Bytes of the result for each element, and for each segment.
    unsigned element_bytes = 0, sequence_bytes = 8;
    std::uint64_t min = 0, max = 0;  // elements
    std::function<client::Request()> request;
};

// A job of so many elements, as near as its shape allows.
struct PlacementShape {
    std::uint64_t rows = 1, cols = 0;
    std::uint64_t elements() const { return rows * cols; }
};
PlacementShape shape_of(const PlacementKind& kind, std::uint64_t elements);
// Bytes of an output buffer for the result, gaps between its arrays included; 0: the result fits the reply.
std::uint64_t output_bytes(const PlacementKind& kind, std::uint64_t elements);

constexpr std::uint64_t kMax = 30'000'000;
constexpr std::uint32_t kAll = (1u << 15) - 1;  // statistics

// For operations/<stem>.cpp: makes a kind of jobs. `detail` ends the name; may be empty.
PlacementKind kind(const std::string& operation, std::uint8_t type, const std::string& detail,
                   std::function<client::Request()> request);
PlacementKind rows_of(PlacementKind made, std::uint64_t columns);
PlacementKind at_least(PlacementKind made, std::uint64_t elements);
PlacementKind pair_kind(const char* operation, std::uint8_t type, std::uint16_t number,
                        unsigned output_bytes);
#define TEGU_X(number, Name, stem, inputs, sentence) \
    void add_##stem##_kinds(std::vector<PlacementKind>& kinds);
TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X

std::vector<PlacementKind> placement_kinds();
// In elements.
std::vector<std::uint64_t> placement_sizes();

}  // namespace tegu::bench
