// SPDX-License-Identifier: Apache-2.0
// How an operation describes its classes: families of classes that differ in size alone, and the sizes. Rows
// are the jobs on each row of an array.
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
// One range of elements of a sequence, with a shape for each of three jobs.
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
    TuningRange levels;       // of entropy_map
    std::string detail_word;  // in an id: "k32"; empty: the family holds every detail
    std::function<JobParams(std::size_t sample)> params;  // of the small, middle and large job: 0, 1, 2
    std::vector<const std::vector<SizeClass>*> sizes;
    Content content = Content::Uniform;
    unsigned rank = 0;
};
// Empty: the operation has no policy of its own.
std::vector<Family> families_of(TuningBackend backend, std::string_view operation);

}  // namespace tegu::tune
