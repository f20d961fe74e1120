// SPDX-License-Identifier: Apache-2.0
// docs/protocol.md as data: its tables and its worked examples, for tests that hold the document against the
// code.
#pragma once

#include <cstddef>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace tegu::wire {

// A row of an offset table.
struct TableRow {
    std::optional<std::size_t> offset;  // from the start of the header or body; nothing for "+8" and "var"
    std::string type;
    std::string field;
};

struct Section {
    std::string heading;  // without the #
    std::vector<TableRow> rows;
    std::vector<std::string> lines;
};

// "name = value" of a line of an example, or the bytes that continue the line before (name empty).
struct Annotation {
    std::string name;
    std::string value;
};
struct ExampleLine {
    std::size_t offset;
    std::vector<std::byte> bytes;
    std::vector<Annotation> annotations;
};
struct Example {
    std::string title;  // "JOB request: reduce"
    std::vector<ExampleLine> header;
    std::vector<ExampleLine> body;
    std::vector<std::byte> bytes() const;  // the whole frame
};

inline std::ostream& operator<<(std::ostream& out, const Example& example) {
    return out << example.title;
}

struct Document {
    std::vector<Section> sections;
    std::vector<Example> examples;
    bool has_line(const std::string& line) const;
    const Section* section(const std::string& heading) const;  // null: there is none
    const Example* example(const std::string& title) const;
};

// Reads docs/protocol.md. Its problems (a line of an example that does not parse) become failures of the test
// that runs.
Document read_protocol_document();

}  // namespace tegu::wire
