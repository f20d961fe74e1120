// SPDX-License-Identifier: Apache-2.0
#include "tests/wire/document.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <regex>
#include <sstream>

namespace tegu::wire {
namespace {

std::vector<Annotation> parse_annotations(const std::string& text) {
    static const std::regex item(R"(([a-z_.]+) = ("[^"]*"|[^,]+))");
    std::vector<Annotation> result;
    for (auto it = std::sregex_iterator(text.begin(), text.end(), item); it != std::sregex_iterator(); ++it)
        result.push_back({(*it)[1], (*it)[2]});
    return result;
}

ExampleLine parse_example_line(const std::string& line) {
    static const std::regex shape(R"(^ *(\d+)  ((?:[0-9a-f]{2} ?)+)(?: +(.*))?$)");
    std::smatch match;
    if (!std::regex_match(line, match, shape)) {
        ADD_FAILURE() << "not a line of an example: " << line;
        return {};
    }
    ExampleLine result{std::stoul(match[1]), {}, parse_annotations(match[3])};
    std::istringstream hex(match[2]);
    for (std::string byte; hex >> byte;)
        result.bytes.push_back(static_cast<std::byte>(std::stoul(byte, nullptr, 16)));
    return result;
}

void parse_row(const std::string& line, Section& section) {
    static const std::regex shape(R"(^\| (\d+|\+\d+|var) \| (\S+) \| (\S+) \|.*$)");
    std::smatch match;
    if (!std::regex_match(line, match, shape)) return;
    const std::string offset = match[1];
    TableRow row{std::nullopt, match[2], match[3]};
    if (offset != "var" && offset[0] != '+') row.offset = std::stoul(offset);
    section.rows.push_back(std::move(row));
}

}  // namespace

std::vector<std::byte> Example::bytes() const {
    std::vector<std::byte> result;
    for (const auto* part : {&header, &body})
        for (const ExampleLine& line : *part)
            result.insert(result.end(), line.bytes.begin(), line.bytes.end());
    return result;
}

bool Document::has_line(const std::string& line) const {
    return std::any_of(sections.begin(), sections.end(), [&](const Section& section) {
        return std::find(section.lines.begin(), section.lines.end(), line) != section.lines.end();
    });
}

const Section* Document::section(const std::string& heading) const {
    for (const Section& section : sections)
        if (section.heading == heading) return &section;
    return nullptr;
}

const Example* Document::example(const std::string& title) const {
    for (const Example& example : examples)
        if (example.title == title) return &example;
    return nullptr;
}

Document read_protocol_document() {
    std::ifstream file(TEGU_SOURCE_DIR "/docs/protocol.md");
    EXPECT_TRUE(file.is_open());
    Document document;
    document.sections.emplace_back();
    bool in_example = false, in_body = false;
    for (std::string line; std::getline(file, line);) {
        if (line.rfind("```hex ", 0) == 0) {
            document.examples.push_back({line.substr(7), {}, {}});
            in_example = true;
            in_body = false;
        } else if (line == "```") {
            in_example = false;
        } else if (in_example && line == "body") {
            in_body = true;
        } else if (in_example) {
            Example& example = document.examples.back();
            (in_body ? example.body : example.header).push_back(parse_example_line(line));
        } else if (!line.empty() && line[0] == '#') {
            document.sections.push_back({line.substr(line.find(' ') + 1), {}, {}});
        } else {
            document.sections.back().lines.push_back(line);
            parse_row(line, document.sections.back());
        }
    }
    return document;
}

}  // namespace tegu::wire
