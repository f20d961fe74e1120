// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/top/grid.h"

#include <wchar.h>
#include <wctype.h>
#include <algorithm>
#include <cstdio>
#include <cstring>

namespace tegu {
namespace cli {
namespace top {
namespace {

struct Glyph {
    char32_t code;
    int columns;  // 1 or 2
};

void append_ascii(const char* text, std::vector<Glyph>& glyphs) {
    for (; *text != '\0'; ++text) glyphs.push_back({static_cast<unsigned char>(*text), 1});
}

void append_number(const char* pattern, unsigned number, std::vector<Glyph>& glyphs) {
    char text[16];
    std::snprintf(text, sizeof text, pattern, number);
    append_ascii(text, glyphs);
}

// Zero-width characters could change their neighbours or the writing direction, so they are shown by number,
// like unprintable ones.
void append_wide(wchar_t code, std::vector<Glyph>& glyphs) {
    const int columns = iswprint(static_cast<wint_t>(code)) != 0 ? wcwidth(code) : 0;
    if (columns == 1 || columns == 2)
        glyphs.push_back({static_cast<char32_t>(code), columns});
    else
        append_number("\\u%04x", static_cast<unsigned>(code), glyphs);
}

std::vector<Glyph> glyphs_of(std::string_view text, bool unicode) {
    std::vector<Glyph> glyphs;
    for (std::size_t i = 0; i < text.size();) {
        const auto byte = static_cast<unsigned char>(text[i]);
        std::size_t length = 1;
        if (byte >= 0x20 && byte < 0x7f) {
            glyphs.push_back({byte, 1});
        } else if (byte >= 0x80 && unicode) {
            wchar_t code = 0;
            mbstate_t state;
            std::memset(&state, 0, sizeof state);
            const std::size_t found = std::mbrtowc(&code, text.data() + i, text.size() - i, &state);
            const bool valid = found != 0 && found <= text.size() - i;
            if (valid) length = found;
            valid ? append_wide(code, glyphs) : append_number("\\x%02x", byte, glyphs);
        } else {
            append_number("\\x%02x", byte, glyphs);
        }
        i += length;
    }
    return glyphs;
}

void append_utf8(char32_t code, std::string& text) {
    const auto tail = [&](int shift) { text += static_cast<char>(0x80 | (code >> shift & 0x3f)); };
    if (code < 0x80) {
        text += static_cast<char>(code);
    } else if (code < 0x800) {
        text += static_cast<char>(0xc0 | code >> 6);
        tail(0);
    } else if (code < 0x10000) {
        text += static_cast<char>(0xe0 | code >> 12);
        tail(6), tail(0);
    } else {
        text += static_cast<char>(0xf0 | code >> 18);
        tail(12), tail(6), tail(0);
    }
}

}  // namespace

char style_letter(Style style) {
    static const char letters[] = {
#define TEGU_X(name, letter) letter,
        TEGU_TOP_STYLES(TEGU_X)
#undef TEGU_X
    };
    return letters[static_cast<std::size_t>(style)];
}

int columns_of(std::string_view text, bool unicode) {
    int columns = 0;
    for (const Glyph& glyph : glyphs_of(text, unicode)) columns += glyph.columns;
    return columns;
}

Grid::Grid(int width, int height, bool unicode)
    : width_(std::max(width, 1)),
      height_(std::max(height, 1)),
      unicode_(unicode),
      cells_(static_cast<std::size_t>(width_) * static_cast<std::size_t>(height_)) {}

int Grid::put(int at, int column, int columns, std::string_view text, Style style) {
    columns = std::min(columns, width_ - column);
    if (at < 0 || at >= height_ || column < 0 || columns <= 0) return 0;
    const std::vector<Glyph> glyphs = glyphs_of(text, unicode_);
    int wanted = 0;
    for (const Glyph& glyph : glyphs) wanted += glyph.columns;
    const bool cut = wanted > columns;
    const int max_columns = cut ? columns - 1 : columns;
    Cell* cells = row(at) + column;
    int used = 0;
    for (const Glyph& glyph : glyphs) {
        if (used + glyph.columns > max_columns) break;
        cells[used] = {glyph.code, style};
        if (glyph.columns == 2) cells[used + 1] = {0, style};
        used += glyph.columns;
    }
    if (cut) cells[used++] = {unicode_ ? U'\u2026' : U'~', style};
    return used;
}

void Grid::restyle(int at, Style style) {
    for (int column = 0; column < width_; ++column) row(at)[column].style = style;
}

std::vector<Grid::Run> Grid::runs(int at) const {
    std::vector<Run> runs;
    const Cell* cells = row(at);
    for (int column = 0; column < width_; ++column) {
        if (runs.empty() || runs.back().style != cells[column].style)
            runs.push_back({column, std::string(), cells[column].style});
        if (cells[column].glyph != 0) append_utf8(cells[column].glyph, runs.back().text);
    }
    return runs;
}

std::string Grid::text() const {
    std::string text;
    for (int at = 0; at < height_; ++at) {
        std::string line;
        for (const Run& run : runs(at)) line += run.text;
        line.erase(line.find_last_not_of(' ') + 1);
        text += line + "\n";
    }
    return text;
}

}  // namespace top
}  // namespace cli
}  // namespace tegu
