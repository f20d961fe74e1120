// SPDX-License-Identifier: Apache-2.0
// Numbers as text: the shortest decimal that reads back as the same number, times and rates with their unit,
// and tables.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "client/tegu.hpp"

namespace tegu {
namespace cli {

std::string format(const char* pattern, double value);  // as printf, up to 63 characters
std::string number_text(double value);
std::string number_text(float value);
// "nan", "inf" and "-inf" for floats that are not finite. REQUIRES: index < array.size().
std::string element_text(const client::Array& array, std::uint64_t index);
// Element as a double; integers above 2^53 are rounded.
double element_number(const client::Array& array, std::uint64_t index);

// Seven digits: what a reader of a summary or a picture needs.
std::string short_text(double value);

std::string duration_text(double nanoseconds);            // "812 ns", "34.2 us", "1.27 ms", "3.05 s"
std::string rate_text(double bytes, double nanoseconds);  // "12.4 GB/s"; "-" for no time at all
std::string element_type_words();                         // "u8 i8 ...": what --dtype takes
std::string bytes_text(std::uint64_t bytes);              // "64.0 MiB"
// A line that is longer than `columns`, cut behind commas and colons; what follows is indented by two. 0: as
// it is.
std::string folded_text(const std::string& line, std::size_t columns);
std::string shape_text(const std::vector<std::uint64_t>& shape,
                       const char* separator = " x ");  // "512 x 512"; "()" for a scalar

// Rows of cells in aligned columns, two blanks apart. Cells of a column flush right but in the columns marked
// left.
class Table {
  public:
    // `left`: 'l' or 'r' for each column.
    explicit Table(std::string left) : align_(std::move(left)) {}
    void heading(std::vector<std::string> cells);
    // REQUIRES: as many cells as columns.
    void row(std::vector<std::string> cells);
    // The heading is bold if `bold`.
    std::string text(bool bold) const;

  private:
    std::string align_;
    bool has_heading_ = false;
    std::vector<std::vector<std::string>> rows_;
};

}  // namespace cli
}  // namespace tegu
