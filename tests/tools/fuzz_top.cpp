// SPDX-License-Identifier: Apache-2.0
// Fuzzes what `tegu top` makes of a daemon's answers. The first line of the input is a byte that chooses the
// screen and the keys that are pressed; then come answers to HEALTH with "@" between them, a second apart.
// Checked: what is no such JSON is refused with a sentence, and whatever is accepted, the frame drawn of it
// has nothing that would harm a terminal.
#include <algorithm>
#include <clocale>
#include <string_view>

#include "tests/fuzz.h"
#include "tools/tegu/top/app.h"
#include "tools/tegu/top/key.h"

namespace {

using namespace tegu::cli;
using tegu::fuzz::require;

constexpr std::size_t kMaxKeys = 8;
constexpr int kMaxAnswers = 3;
constexpr int kSizes[][2] = {{80, 24}, {30, 8}, {80, 0}, {100, 30}, {12, 3}, {40, 10}, {200, 12}, {60, 15}};

top::Screen screen_of(unsigned char choice) {
    static const bool utf8 = std::setlocale(LC_CTYPE, "C.UTF-8") != nullptr;
    top::Screen screen;
    screen.width = kSizes[choice % 8][0];
    screen.height = kSizes[choice % 8][1];
    screen.unicode = utf8 && (choice & 8) != 0;
    return screen;
}

int key_of(unsigned char byte) {
    return byte < 128 ? byte : top::kKeyUp + byte % (top::kKeyHelp - top::kKeyUp + 1);
}

// Takes what stands before the first `end`, which goes too.
std::string_view cut(std::string_view& text, char end) {
    const std::string_view first = text.substr(0, text.find(end));
    text.remove_prefix(std::min(first.size() + 1, text.size()));
    return first;
}

// Control characters, those of C1 included, whose second byte in UTF-8 is 0x80 to 0x9f after 0xc2.
void check_text(const std::string& text, bool unicode) {
    char before = 0;
    for (const char c : text) {
        const bool control = (c >= 0 && c < ' ' && c != '\n') || c == '\x7f';
        require(!control && (unicode || c >= 0), "a control character is drawn");
        require(before != '\xc2' || static_cast<unsigned char>(c) >= 0xa0,
                "a control character of C1 is drawn");
        before = c;
    }
}

void check_frame(const top::App& app, const top::Screen& screen, double time) {
    const top::Grid grid = app.frame(screen, time, 1700000000 + time);
    require(grid.width() == screen.width, "a frame that is wider than the screen");
    require(screen.height == 0 || grid.height() == screen.height, "a frame that is higher than the screen");
    check_text(grid.text(), screen.unicode);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    std::string_view rest(reinterpret_cast<const char*>(data), size);
    const std::string_view head = cut(rest, '\n');
    if (head.empty()) return 0;
    const top::Screen screen = screen_of(static_cast<unsigned char>(head[0]));
    top::App app(top::Order{}, 1);
    bool drawn = false;
    for (int time = 0; time < kMaxAnswers && !rest.empty(); ++time) {
        tegu::client::Expected<top::View> view = top::parse_view(std::string(cut(rest, '@')));
        require(view || !view.error().message.empty(), "an error that says nothing");
        drawn = drawn || view;
        app.add({static_cast<double>(time), std::move(view)});
    }
    if (!drawn) return 0;
    for (const char key : head.substr(1, kMaxKeys))
        if (!app.press(key_of(static_cast<unsigned char>(key)), screen)) break;
    check_frame(app, screen, kMaxAnswers);
    return 0;
}
