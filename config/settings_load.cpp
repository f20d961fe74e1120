// SPDX-License-Identifier: Apache-2.0
#include "config/settings_load.h"

#include <algorithm>

#include "config/setting_info.h"
#include "config/suggest.h"
#include "config/toml_text.h"

namespace tegu::config {
namespace {

// Checks one parsed file, collecting values and errors.
class Checker {
  public:
    Checker(std::string file, LoadedSettings& out) : file_(std::move(file)), out_(out) {}

    void check(const toml::table& root) {
        for (const auto& [key, node] : root) check_top(key, node);
    }

    // Checks relations between settings, after derived sizes are filled in. Skips settings that failed alone.
    void check_orders() {
        for (const SettingOrder& order : setting_orders())
            check_order(*find_setting(order.smaller), *find_setting(order.larger));
    }

    void add(const toml::source_position& at, std::string key, std::string text) {
        out_.errors.push_back({file_, at.line, at.column, std::move(key), std::move(text)});
    }

  private:
    struct Found {
        const SettingInfo* info;
        toml::source_position at;
        bool valid;
    };

    void check_top(const toml::key& key, const toml::node& node) {
        const std::string_view name = key.str();
        const toml::source_position at = key.source().begin;
        const Span<const SettingTable> tables = setting_tables();
        const bool known = std::any_of(tables.begin(), tables.end(),
                                       [&](const SettingTable& table) { return table.name == name; });
        if (!known)
            return add(at, key_text(name), node.is_table() ? unknown_table(name) : unknown_key("", name));
        if (const toml::table* table = node.as_table()) {
            for (const auto& [inner, value] : *table) check_setting(name, inner, value);
        } else {
            add(at, std::string(name),
                "found " + node_text(node) + ", allowed a table: [" + std::string(name) + "]");
        }
    }

    void check_setting(std::string_view table, const toml::key& key, const toml::node& node) {
        const std::string_view name = key.str();
        const SettingInfo* info = find_setting(std::string(table) + "." + std::string(name));
        if (info == nullptr)
            return add(key.source().begin, std::string(table) + "." + key_text(name),
                       unknown_key(table, name));
        const toml::source_position at = node.is_table() ? key.source().begin : node.source().begin;
        out_.named.push_back(info->key);
        const Result<SettingValue> value = check_node(*info, node);
        found_.push_back({info, at, value.ok()});
        if (value)
            info->set(out_.settings, *value);
        else
            add(at, std::string(info->key), value.error().message);
    }

    static Result<SettingValue> check_node(const SettingInfo& info, const toml::node& node) {
        if (const auto* integer = node.as_integer()) return check_value(info, integer->get());
        if (const auto* text = node.as_string()) return check_value(info, text->get());
        return field_error(Status::BadRange, std::string(info.key), allowed_text(info),
                           refusal_text(info, node_text(node)));
    }

    static std::string unknown_table(std::string_view name) {
        const std::string_view nearest = suggest_table(name);
        if (!nearest.empty()) return "unknown table; did you mean [" + std::string(nearest) + "]?";
        std::string text = "unknown table; there are";
        for (const SettingTable& table : setting_tables()) text += " [" + std::string(table.name) + "]";
        return text;
    }

    static std::string unknown_key(std::string_view table, std::string_view name) {
        const std::string_view nearest = suggest_key(table, name);
        return nearest.empty() ? "unknown key" : "unknown key; did you mean " + std::string(nearest) + "?";
    }

    const Found* find(const SettingInfo& info) const {
        const auto found =
            std::find_if(found_.begin(), found_.end(), [&](const Found& p) { return p.info == &info; });
        return found == found_.end() ? nullptr : &*found;
    }

    // Reports the error at the setting that the file names; at the smaller one if it names both.
    void check_order(const SettingInfo& smaller, const SettingInfo& larger) {
        const SettingValue low = smaller.get(out_.settings);
        const SettingValue high = larger.get(out_.settings);
        const Found* low_found = find(smaller);
        const Found* high_found = find(larger);
        const bool unusable =
            (low_found != nullptr && !low_found->valid) || (high_found != nullptr && !high_found->valid);
        if (unusable || !(high < low)) return;
        const bool at_low = low_found != nullptr;
        const SettingInfo& here = at_low ? smaller : larger;
        const SettingInfo& other = at_low ? larger : smaller;
        std::string text = "found " + value_text(here, at_low ? low : high) +
                           (at_low ? ", allowed at most " : ", allowed at least ");
        text += std::string(other.key) + ", which is " + value_text(other, at_low ? high : low);
        if ((at_low ? high_found : low_found) == nullptr) text += " by default";
        if (at_low || high_found != nullptr)
            add((at_low ? low_found : high_found)->at, std::string(here.key), text);
    }

    std::string file_;
    LoadedSettings& out_;
    std::vector<Found> found_;
};

LoadedSettings file_error(const std::string& file, std::string text) {
    LoadedSettings loaded;
    loaded.errors.push_back({file, 0, 0, {}, std::move(text)});
    return loaded;
}

}  // namespace

std::string diagnostic_text(const Diagnostic& diagnostic) {
    std::string line = diagnostic.file + ":";
    if (diagnostic.line != 0)
        line += std::to_string(diagnostic.line) + ":" + std::to_string(diagnostic.column) + ":";
    line += " error: ";
    if (!diagnostic.key.empty()) line += diagnostic.key + ": ";
    line += diagnostic.text;
    for (char& c : line)
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
    return line;
}

bool LoadedSettings::names(std::string_view key) const {
    return std::find(named.begin(), named.end(), key) != named.end();
}

LoadedSettings parse_settings(std::string_view text, const std::string& file, std::uint64_t memory_bytes) {
    const TomlText parsed = parse_toml(text, kMaxSettingsFileBytes);
    LoadedSettings loaded;
    if (parsed.error) {
        loaded.errors.push_back({file, parsed.error->line, parsed.error->column, {}, parsed.error->text});
        return loaded;
    }
    Checker checker(file, loaded);
    checker.check(parsed.table);
    derive_sizes(loaded.settings, memory_bytes);
    checker.check_orders();
    std::stable_sort(loaded.errors.begin(), loaded.errors.end(),
                     [](const Diagnostic& a, const Diagnostic& b) {
                         return a.line != b.line ? a.line < b.line : a.column < b.column;
                     });
    return loaded;
}

LoadedSettings load_settings(const std::string& path, IfMissing if_missing, std::uint64_t memory_bytes) {
    const Result<std::string> text = read_toml_file(path, kMaxSettingsFileBytes);
    if (text) return parse_settings(*text, path, memory_bytes);
    if (text.error().status != Status::NotFound || if_missing == IfMissing::Fails)
        return file_error(path, text.error().message);
    LoadedSettings loaded;
    loaded.settings = default_settings(memory_bytes);
    return loaded;
}

}  // namespace tegu::config
