// SPDX-License-Identifier: Apache-2.0
#include "daemon/health/board/board.h"

#include <algorithm>

#include "base/ascii.h"

namespace tegu::daemon::health {
namespace {

constexpr std::size_t kModesLimit = 256 * 1024;  // of nvpmodel.conf: tens of kilobytes on known boards
constexpr std::size_t kMaxModes = 64;

// Texts of a device tree end with a NUL.
std::string_view without_end(std::string_view text) {
    if (!text.empty() && text.back() == '\0') text.remove_suffix(1);
    return text;
}

Value<std::string> device_tree_word(Reader& reader, const Source& source) {
    const Value<std::string> text = reader.text(source);
    if (!text.known()) return text.unknown();
    Value<std::string> word = parse_word(without_end(*text));
    if (!word.known()) return at(source.path, word.unknown());
    return word;
}

Value<std::string> model(Reader& reader) {
    const Source tree = reader.find({"proc/device-tree/model", "sys/firmware/devicetree/base/model"});
    if (!tree.path.empty()) return device_tree_word(reader, tree);
    const Source product = reader.find("sys/class/dmi/id/product_name");
    if (product.path.empty()) return Unknown{Cause::Missing, tree.missing};
    return reader.word(product);
}

Value<std::string> soc(Reader& reader) {
    const Source source =
        reader.find({"proc/device-tree/compatible", "sys/firmware/devicetree/base/compatible"});
    const Value<std::string> text = reader.text(source);
    if (!text.known()) return text.unknown();
    Value<std::string> found = parse_soc(*text);
    if (!found.known()) return at(source.path, found.unknown());
    return found;
}

Value<std::string> l4t(Reader& reader) {
    const Source source = reader.find("etc/nv_tegra_release");
    const Value<std::string> text = reader.text(source);
    if (!text.known()) return text.unknown();
    Value<std::string> release = parse_l4t_release(*text);
    if (!release.known()) return at(source.path, release.unknown());
    return release;
}

// The text between `before` and the first character of `ends`.
Value<std::string_view> between(std::string_view text, std::string_view before, const char* ends) {
    const std::size_t start = text.find(before);
    if (start == std::string_view::npos)
        return Unknown{Cause::Garbage, excerpt(text) + " has no \"" + std::string(before) + "\""};
    text.remove_prefix(start + before.size());
    return text.substr(0, text.find_first_of(ends));
}

}  // namespace

Value<std::string> parse_l4t_release(std::string_view text) {
    constexpr Range kMajor{1, 9999}, kPart{0, 9999};
    const std::string_view line = text.substr(0, text.find('\n'));
    const Value<std::string_view> major = between(line, "# R", " ("),
                                  revision = between(line, "REVISION: ", ",");
    if (!major.known()) return major.unknown();
    if (!revision.known()) return revision.unknown();
    const Value<std::int64_t> number = parse_integer(*major, kMajor);
    if (!number.known()) return number.unknown();
    std::string release = std::to_string(*number);
    const std::vector<std::string_view> parts = split(*revision, '.');
    if (parts.size() > 3) return Unknown{Cause::Garbage, excerpt(*revision) + " is no revision"};
    for (const std::string_view part : parts) {
        const Value<std::int64_t> value = parse_integer(part, kPart);
        if (!value.known()) return value.unknown();
        release += "." + std::to_string(*value);
    }
    return release;
}

Value<std::int64_t> parse_power_mode(std::string_view text) {
    constexpr Range kModes{0, 9999};
    const Value<std::string_view> id = between(text, "pmode:", " \n");
    if (!id.known()) return id.unknown();
    return parse_integer(*id, kModes);
}

std::map<std::int64_t, std::string> parse_mode_names(std::string_view text) {
    std::map<std::int64_t, std::string> names;
    for (const std::string_view line : split(text, '\n')) {
        if (trimmed(line).substr(0, 13) != "< POWER_MODEL" || names.size() >= kMaxModes) continue;
        const Value<std::string_view> id = between(line, " ID=", " >"), name = between(line, " NAME=", " >");
        if (!id.known() || !name.known()) continue;
        const Value<std::int64_t> number = parse_integer(*id, {0, 9999});
        const Value<std::string> word = parse_word(*name);
        if (number.known() && word.known()) names.emplace(*number, *word);
    }
    return names;
}

Value<std::string> parse_soc(std::string_view text) {
    constexpr std::string_view kVendor = "nvidia,";
    std::string last;
    for (const std::string_view part : split(without_end(text), '\0')) {
        const Value<std::string> word = parse_word(part);
        if (!word.known()) return word.unknown();
        last = *word;
        // Releases 35 append "nvidia,tegra23x" after the chip's own number.
        if (word->compare(0, 12, "nvidia,tegra") == 0 && is_digit(word->back())) break;
    }
    if (last.compare(0, kVendor.size(), kVendor) == 0) last.erase(0, kVendor.size());
    if (last.empty()) return Unknown{Cause::Garbage, excerpt(text) + " names no SoC"};
    return last;
}

BoardLayout find_board(Reader& reader) {
    BoardLayout layout;
    layout.fixed.model = model(reader);
    layout.fixed.soc = soc(reader);
    layout.fixed.l4t = l4t(reader);
    layout.fixed.kernel = reader.word(reader.find("proc/sys/kernel/osrelease"));
    layout.mode = reader.find("var/lib/nvpmodel/status");
    const Value<std::string> modes = reader.text(reader.find("etc/nvpmodel.conf"), kModesLimit);
    if (modes.known()) layout.mode_names = parse_mode_names(*modes);
    return layout;
}

Board sample_board(Reader& reader, const BoardLayout& layout) {
    Board board = layout.fixed;
    const Value<std::string> text = reader.text(layout.mode);
    if (!text.known()) {
        board.power_mode = text.unknown();
        return board;
    }
    const Value<std::int64_t> id = parse_power_mode(*text);
    if (!id.known()) {
        board.power_mode = at(layout.mode.path, id.unknown());
        return board;
    }
    const auto name = layout.mode_names.find(*id);
    board.power_mode = PowerMode{*id, name == layout.mode_names.end() ? "?" : name->second};
    return board;
}

}  // namespace tegu::daemon::health
