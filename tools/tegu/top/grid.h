// SPDX-License-Identifier: Apache-2.0
// A screen as a grid of cells, each with a character and a semantic style; a terminal or a test shows it. In
// external text, control characters, invisible ones and invalid UTF-8 are shown by number. Widths are
// columns, not bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tegu {
namespace cli {
namespace top {

// X(name, letter by which tests and pictures know it)
#define TEGU_TOP_STYLES(X)                         \
    X(Plain, '.')                                  \
    X(Label, 'l')  /* what a value is of */        \
    X(Strong, 's') /* a value that matters */      \
    X(Title, 't')  /* of a group of lines */       \
    X(Meter, 'm')  /* the part of a bar that is */ \
    X(Track, '-')  /* the part that is not */      \
    X(Good, 'g')                                   \
    X(Warn, 'w')                                   \
    X(Bad, 'b')                                    \
    X(BadgeGood, 'G')                              \
    X(BadgeWarn, 'W')                              \
    X(BadgeBad, 'B')                               \
    X(Heading, 'h') /* of a table's column */      \
    X(Chosen, 'c')  /* the column that sorts */    \
    X(Key, 'k')

enum class Style : std::uint8_t {
#define TEGU_X(name, letter) name,
    TEGU_TOP_STYLES(TEGU_X)
#undef TEGU_X
};
char style_letter(Style style);

// The columns that a text takes, as it is shown. `unicode` REQUIRES: the locale's characters are UTF-8.
int columns_of(std::string_view text, bool unicode);

class Grid {
  public:
    // `unicode`: else only ASCII is shown. REQUIRES, if set: the locale's characters are UTF-8.
    Grid(int width, int height, bool unicode);

    int width() const { return width_; }
    int height() const { return height_; }
    bool unicode() const { return unicode_; }

    // Draws what fits into `columns` from (row, column) on, and a mark at its end if that is not all; what
    // lies outside is left out. Returns the columns that were drawn on.
    int put(int row, int column, int columns, std::string_view text, Style style);
    // All of a row, whatever stands there.
    void restyle(int row, Style style);

    // Neighbours of one style, as UTF-8.
    struct Run {
        int column;
        std::string text;
        Style style;
    };
    std::vector<Run> runs(int row) const;
    // The rows, without blanks at their ends.
    std::string text() const;

  private:
    // The second column of a wide character has glyph 0.
    struct Cell {
        char32_t glyph = U' ';
        Style style = Style::Plain;
    };
    Cell* row(int index) {
        return cells_.data() + static_cast<std::size_t>(index) * static_cast<std::size_t>(width_);
    }
    const Cell* row(int index) const {
        return cells_.data() + static_cast<std::size_t>(index) * static_cast<std::size_t>(width_);
    }

    int width_, height_;
    bool unicode_;
    std::vector<Cell> cells_;
};

}  // namespace top
}  // namespace cli
}  // namespace tegu
