// SPDX-License-Identifier: Apache-2.0
// Boost's parser is recursive, so lines that are too long or too deep are refused first.
#define BOOST_BIND_GLOBAL_PLACEHOLDERS  // Boost 1.73 to 1.75 warn of a use of their own
#include "tools/field/field_file.h"

#include <boost/property_tree/json_parser.hpp>
#include <boost/property_tree/ptree.hpp>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "tools/field/field_json.h"

namespace tegu::field {
namespace {

using Tree = boost::property_tree::ptree;

constexpr std::size_t kMaxLine = 64 << 10;
constexpr int kMaxDepth = 8;

// Paths in "identity" that must be equal for all measurements of one file.
constexpr const char* kSameIdentity[] = {
    "board",        "soc",          "l4t",         "driver",     "cuda_toolkit",
    "architecture", "cpu.name",     "cpu.cores",   "gpu.name",   "gpu.multiprocessors",
    "power_mode",   "tegu.version", "tegu.commit", "tuning.key",
};
constexpr const char* kSameOptions[] = {"operations", "quick"};

bool too_deep(std::string_view json) {
    int depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < json.size(); ++i) {
        const char c = json[i];
        if (c == '"') quoted = !quoted;
        if (quoted) {
            i += c == '\\' ? 1 : 0;
            continue;
        }
        depth += c == '{' || c == '[' ? 1 : c == '}' || c == ']' ? -1 : 0;
        if (depth > kMaxDepth) return true;
    }
    return false;
}

std::optional<Tree> parse(std::string_view json) {
    if (json.size() > kMaxLine || too_deep(json)) return std::nullopt;
    std::istringstream in{std::string(json)};
    Tree tree;
    try {
        boost::property_tree::read_json(in, tree);
    } catch (const boost::property_tree::ptree_error&) {
        return std::nullopt;
    }
    return tree;
}

// The text of a value; of a list, its elements with commas.
std::string text_of(const Tree& tree, const std::string& path) {
    const auto found = tree.get_child_optional(path);
    if (!found) return "null";
    std::string text = found->data();
    for (const auto& element : *found) text += (text.empty() ? "" : ",") + element.second.data();
    return text;
}

template <std::size_t N>
Result<void> expect_same(const Tree& there, const Tree& here, const char* what,
                         const char* const (&paths)[N]) {
    for (const char* const path : paths) {
        const std::string old = text_of(there, path), now = text_of(here, path);
        if (old == now) continue;
        return make_error(Status::BadRequest, std::string("it is of another run: ") + what + "." + path +
                                                  " is '" + old + "' there and '" + now +
                                                  "' here; name another file, or say --restart");
    }
    return {};
}

Error not_ours(std::size_t line, const std::string& why) {
    return make_error(Status::BadRequest,
                      "line " + std::to_string(line) + ": " + why + ": it is no file of tegu-bench run");
}

// The lines of a text; `rest` is the text after the last end of line.
std::vector<std::string_view> lines_of(std::string_view text, std::string_view& rest) {
    std::vector<std::string_view> lines;
    for (std::size_t end = text.find('\n'); end != std::string_view::npos; end = text.find('\n')) {
        lines.push_back(text.substr(0, end));
        text.remove_prefix(end + 1);
    }
    rest = text;
    return lines;
}

// The value in a line "NAME": {...},
std::optional<Tree> value_in(std::string_view line, const char* name) {
    const std::string start = "\"" + std::string(name) + "\": ";
    if (line.substr(0, start.size()) != start || line.empty() || line.back() != ',') return std::nullopt;
    return parse(line.substr(start.size(), line.size() - start.size() - 1));
}

Result<void> check_head(const std::vector<std::string_view>& lines, const FieldHead& head) {
    const std::string schema = std::string("\"schema\": \"") + kSchema + "\",";
    if (lines.size() < 5 || lines[0] != "{") return not_ours(1, "it does not begin with a schema");
    if (lines[1] != schema) return not_ours(2, "it is not " + schema.substr(0, schema.size() - 1));
    const std::optional<Tree> identity = value_in(lines[2], "identity"),
                              options = value_in(lines[3], "options");
    if (!identity) return not_ours(3, "it has no identity");
    if (!options) return not_ours(4, "it has no options");
    if (lines[4] != "\"records\": [") return not_ours(5, "it has no records");
    Result<void> same = expect_same(*identity, *parse(head.identity), "identity", kSameIdentity);
    return same ? expect_same(*options, *parse(head.options), "options", kSameOptions) : same;
}

// Takes the record over, unless its case is to be measured again.
void take(FieldText& text, std::string_view line, const Tree& record) {
    const std::string kind = text_of(record, "kind");
    const bool skipped = kind == "skipped";
    if (skipped && text_of(record, "retry") == "true") {
        text.whole = false;
        return;
    }
    if (skipped || kind == "result")
        text.keys.insert(
            case_key(text_of(record, "part"), text_of(record, "case"), text_of(record, "backend")));
    if (kind == "result") ++text.results;
    if (kind == "condition") text.elapsed_s = std::atof(text_of(record, "elapsed_s").c_str());
    text.records.emplace_back(line);
}

}  // namespace

std::string case_key(const std::string& part, const std::string& name, const std::string& backend) {
    return part + '\n' + name + '\n' + backend;
}

std::string head_text(const FieldHead& head) {
    return std::string("{\n\"schema\": \"") + kSchema + "\",\n\"identity\": " + head.identity +
           ",\n\"options\": " + head.options + ",\n\"records\": [";
}

std::string tail_text(bool finished) {
    return std::string("\n],\n\"finished\": ") + (finished ? "true" : "false") + "\n}\n";
}

Result<FieldText> parse_field_file(std::string_view text, const FieldHead& head) {
    std::string_view rest;
    const std::vector<std::string_view> lines = lines_of(text, rest);
    Result<void> checked = check_head(lines, head);
    if (!checked) return std::move(checked).error();
    FieldText parsed;
    std::size_t i = 5;
    for (; i < lines.size() && lines[i] != "],"; ++i) {
        std::string_view line = lines[i];
        if (!line.empty() && line.back() == ',') line.remove_suffix(1);
        const std::optional<Tree> record = parse(line);
        const bool last = i + 1 == lines.size();
        if (!record && !last) return not_ours(i + 1, "it is no record");
        if (record) take(parsed, line, *record);
    }
    // An end that is not the one that was written last: a write that was cut short.
    const bool ended = i + 3 == lines.size() && lines[i] == "]," && lines[i + 2] == "}" && rest.empty();
    parsed.whole = parsed.whole && ended;
    return parsed;
}

}  // namespace tegu::field
