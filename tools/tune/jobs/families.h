// SPDX-License-Identifier: Apache-2.0
// The class description of an operation: families of jobs that differ only in size, the sizes, and the
// families whose cost is measured. Rows are jobs on each row of an array.
#pragma once

#include <array>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/tune/jobs/classes.h"

namespace tegu::tune {

struct Shape {
    Axis axis = Axis::Whole;
    std::uint64_t rows = 1;
    std::uint64_t cols = 0;
};
// One range of elements of a segment, with a shape for each of three jobs.
struct SizeClass {
    TuningRange sequences, elements;
    std::array<Shape, 3> shapes;
    std::string word;  // in an id: "n1M", "rows-n128"
    unsigned rank = 0;
};
const std::vector<SizeClass>&
whole_sizes();  // six: up to 16 Ki elements, 128 Ki, 1 Mi, 8 Mi, 64 Mi, and more
const std::vector<SizeClass>& coarse_sizes();  // three: up to 128 Ki, 8 Mi, and more
const std::vector<SizeClass>& row_sizes();     // four: rows of up to 128 elements, 1024, 16 Ki, and more
const std::vector<SizeClass>& image_sizes();   // three: up to 512 Ki pixels, 8 Mi, and more

// Classes that differ in their size alone.
struct Family {
    ElementType type = ElementType::F32;
    bool any_of_width = false;  // the kernels see the width alone
    std::string variant = "plain";
    TuningRange detail;
    TuningRange levels;       // of a pixel, where a job is an image
    std::string detail_word;  // in an id: "k32"; empty: the family holds every detail
    std::function<JobParams(std::size_t sample)> params;  // of the small, middle and large job: 0, 1, 2
    std::vector<const std::vector<SizeClass>*> sizes;
    Content content = Content::Uniform;
    unsigned rank = 0;
};
// The common properties of the classes of one operation and type.
struct CostFamily {
    ElementType type = ElementType::F32;
    bool any_of_width = false;
    std::string variant = "plain";
    char letter = 0;                     // of the detail in an id
    std::vector<std::uint64_t> details;  // ascending: each class ends where the next begins; empty: one class
    std::function<JobParams(std::uint64_t detail)> params;
    bool rows = false;  // jobs on rows, too
    TuningRange levels;
    std::uint32_t level_count = 0;  // not 0: arrays are square images
    Content content = Content::Uniform;
    unsigned rank = 0;
};

// operations/<stem>.cpp has the families of one operation; none: it has no policy or cost of its own.
#define TEGU_X(number, Name, stem, inputs, sentence)            \
    std::vector<Family> stem##_families(TuningBackend backend); \
    std::vector<CostFamily> stem##_costs();
TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X

using Sizes = std::vector<const std::vector<SizeClass>*>;

// The range of the values: that of a byte, of two bytes, of the floats of Content::Uniform.
inline double low_of(ElementType type) {
    return is_float(type) ? -1 : 0;
}
inline double high_of(ElementType type) {
    return type == ElementType::U8 ? 256 : type == ElementType::U16 ? 65536 : 1;
}

// The family of an operation without a detail.
template <class Params>
Family plain_family(ElementType type, Content content, unsigned rank) {
    Family family;
    family.type = type;
    family.params = [](std::size_t) { return Params(); };
    family.sizes = {&whole_sizes()};
    family.content = content;
    family.rank = rank;
    return family;
}

inline Family detailed_family(ElementType type, TuningRange detail, const char* word, const Sizes& sizes,
                              unsigned rank, std::function<JobParams(std::size_t)> params) {
    Family family;
    family.type = type;
    family.detail = detail;
    family.detail_word = word;
    family.params = std::move(params);
    family.sizes = sizes;
    family.rank = rank;
    return family;
}

template <class Params>
CostFamily plain_costs(ElementType type, unsigned rank, bool rows) {
    CostFamily family;
    family.type = type;
    family.params = [](std::uint64_t) { return Params(); };
    family.content = Content::Small;
    family.rank = rank;
    family.rows = rows;
    return family;
}

inline CostFamily detailed(ElementType type, char letter, std::vector<std::uint64_t> details, unsigned rank,
                           bool rows, std::function<JobParams(std::uint64_t)> params) {
    CostFamily family;
    family.type = type;
    family.letter = letter;
    family.details = std::move(details);
    family.params = std::move(params);
    family.rank = rank;
    family.rows = rows;
    return family;
}

}  // namespace tegu::tune
