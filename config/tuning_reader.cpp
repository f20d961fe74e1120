// SPDX-License-Identifier: Apache-2.0
#include "config/tuning_reader.h"

#include <algorithm>

#include "base/ignored_rows.h"
#include "config/tuning_values.h"

namespace tegu::config {
namespace {

constexpr std::size_t kMaxRows = 4096;  // of a table, bad ones included
constexpr std::size_t kMaxFields = 64;  // of a policy

// --- tables of keys

// One key of a kind of table, and the function that reads it into a T.
template <class T>
struct Key {
    const char* name;
    bool required;
    Check (*read)(const toml::node& node, const char* key, const std::string& file, T* to);
};

template <class T, std::size_t N>
std::string names_of(const Key<T> (&keys)[N]) {
    std::string names;
    for (const Key<T>& key : keys) names += (names.empty() ? "" : ", ") + std::string(key.name);
    return names;
}

// Reads all keys of a table; stops at the first wrong, unknown or missing one.
template <class T, std::size_t N>
Check read_keys(const toml::table& table, const Key<T> (&keys)[N], const std::string& file, T* to) {
    for (const auto& [name, node] : table) {
        const Key<T>* found = nullptr;
        for (const Key<T>& key : keys)
            if (name.str() == key.name) found = &key;
        if (found == nullptr) {
            const std::string known = names_of(keys);
            return Wrong{name.source().begin, key_text(name.str()), "unknown key; there are " + known};
        }
        if (Check failed = found->read(node, found->name, file, to)) return failed;
    }
    for (const Key<T>& key : keys) {
        const bool is_missing = key.required && !table.contains(key.name);
        if (is_missing) return Wrong{table.source().begin, key.name, "it is missing"};
    }
    return std::nullopt;
}

#define TEGU_READ(T, expression)                                                           \
    [](const toml::node& node, const char* key, const std::string& file, T* to) -> Check { \
        static_cast<void>(key);                                                            \
        static_cast<void>(file);                                                           \
        return expression;                                                                 \
    }

constexpr std::int64_t kMax = 1000000000;

const Key<TuningDevice> kDeviceKeys[] = {
    {"name", false, TEGU_READ(TuningDevice, read_text(node, key, &to->name))},
    {"compute_capability", false, TEGU_READ(TuningDevice, read_capability(node, &to->compute_capability))},
    {"multiprocessors", false, TEGU_READ(TuningDevice, read_count(node, key, kMax, &to->multiprocessors))},
    {"cpu_threads", false, TEGU_READ(TuningDevice, read_count(node, key, kMax, &to->cpu_threads))},
};

const Key<TuningEvidence> kEvidenceKeys[] = {
    {"provenance", false, TEGU_READ(TuningEvidence, read_text(node, key, &to->provenance))},
    {"time_us", false, TEGU_READ(TuningEvidence, read_number(node, key, &to->time_us))},
    {"default_us", false, TEGU_READ(TuningEvidence, read_number(node, key, &to->default_us))},
    {"noise", false, TEGU_READ(TuningEvidence, read_number(node, key, &to->noise))},
    {"date", false, TEGU_READ(TuningEvidence, read_text(node, key, &to->date))},
    {"driver", false, TEGU_READ(TuningEvidence, read_text(node, key, &to->driver))},
    {"toolkit", false, TEGU_READ(TuningEvidence, read_text(node, key, &to->toolkit))},
    {"power_mode", false, TEGU_READ(TuningEvidence, read_text(node, key, &to->power_mode))},
    {"clock_mhz", false, TEGU_READ(TuningEvidence, read_count(node, key, kMax, &to->clock_mhz))},
};

Check read_evidence(const toml::node& node, const std::string& file, TuningEvidence* to) {
    const auto* const table = node.as_table();
    if (table == nullptr) return wrong(node, "evidence", "a table");
    Check failed = read_keys(*table, kEvidenceKeys, file, to);
    if (failed) failed->key = "evidence." + failed->key;
    return failed;
}

Check read_policy(const toml::node& node, const std::string& file, std::vector<TuningValue>* to) {
    const auto* const table = node.as_table();
    if (table == nullptr || table->size() > kMaxFields)
        return wrong(node, "policy", "a table of at most " + std::to_string(kMaxFields) + " fields");
    for (const auto& [name, field] : *table) {
        TuningValue value;
        value.name = name.str();
        const std::string quoted = key_text(name.str());
        if (value.name.empty() || !is_plain(value.name))
            return Wrong{name.source().begin, "policy", "found the field " + quoted + ", allowed a name"};
        value.where = {file, field.source().begin.line, field.source().begin.column};
        if (const auto* number = field.as_integer())
            value.number = number->get();
        else if (const auto* word = field.as_string(); word != nullptr && is_word(word->get()))
            value.word = word->get();
        else
            return wrong(field, "policy." + quoted, "an integer or a word");
        to->push_back(std::move(value));
    }
    // Restores the order of the file: a toml::table is sorted by name.
    std::stable_sort(to->begin(), to->end(), [](const TuningValue& a, const TuningValue& b) {
        return a.where.line != b.where.line ? a.where.line < b.where.line : a.where.column < b.where.column;
    });
    return std::nullopt;
}

// The keys that rows and costs share.
#define TEGU_CLASS_KEYS(T)                                                              \
    {"backend", true, TEGU_READ(T, read_backend(node, &to->jobs.backend))},             \
        {"operation", true, TEGU_READ(T, read_text(node, key, &to->jobs.operation))},   \
        {"revision", true, TEGU_READ(T, read_count(node, key, kMax, &to->revision))},   \
        {"width", false, TEGU_READ(T, read_count(node, key, 8, &to->jobs.width))},      \
        {"type", false, TEGU_READ(T, read_text(node, key, &to->jobs.type))},            \
        {"variant", false, TEGU_READ(T, read_text(node, key, &to->jobs.variant))},      \
        {"sequences", false, TEGU_READ(T, read_range(node, key, &to->jobs.sequences))}, \
        {"elements", false, TEGU_READ(T, read_range(node, key, &to->jobs.elements))},   \
        {"detail", false, TEGU_READ(T, read_range(node, key, &to->jobs.detail))},       \
        {"levels", false, TEGU_READ(T, read_range(node, key, &to->jobs.levels))}, {     \
        "evidence", false, TEGU_READ(T, read_evidence(node, file, &to->evidence))       \
    }

const Key<TuningRow> kRowKeys[] = {
    {"id", true, TEGU_READ(TuningRow, read_text(node, key, &to->id))},
    TEGU_CLASS_KEYS(TuningRow),
    {"policy", true, TEGU_READ(TuningRow, read_policy(node, file, &to->policy))},
};

const Key<CostRow> kCostKeys[] = {
    TEGU_CLASS_KEYS(CostRow),
    {"threads", false, TEGU_READ(CostRow, read_count(node, key, kMax, &to->threads))},
    {"points", true, TEGU_READ(CostRow, read_points(node, &to->points))},
};

// --- the file

constexpr char kUnknownKey[] = "unknown key; there are format, device, row, cost";

class Reader {
  public:
    Reader(const std::string& file, const std::string& key) : file_(file) {
        table_.key = key;
        table_.path = file;
    }

    LoadedTuning read(const toml::table& root) {
        if (!read_head(root)) return std::move(loaded_);
        read_lists(root);
        end_ignored(ignored_, &loaded_.ignored);
        const auto by_line = [](const auto& a, const auto& b) { return a.where.line < b.where.line; };
        std::stable_sort(loaded_.ignored.begin(), loaded_.ignored.end(), by_line);
        loaded_.table = std::move(table_);
        return std::move(loaded_);
    }

  private:
    void read_lists(const toml::table& root) {
        for (const auto& [name, node] : root) {
            if (name.str() == "row")
                read_list(node, "row", kRowKeys, &table_.rows);
            else if (name.str() == "cost")
                read_list(node, "cost", kCostKeys, &table_.costs);
            else if (name.str() != "format" && name.str() != "device")
                ignore("", {name.source().begin, key_text(name.str()), kUnknownKey});
        }
    }

    // False: the table is unusable.
    bool read_head(const toml::table& root) {
        const toml::node* const format = root.get("format");
        const auto* const number = format == nullptr ? nullptr : format->as_integer();
        if (number == nullptr || number->get() != kTuningFormat) {
            const std::string known = std::to_string(kTuningFormat) + ", the format that this program reads";
            ignore("", format == nullptr ? Wrong{{}, "format", "it is missing; allowed " + known}
                                         : *wrong(*format, "format", known));
            return false;
        }
        const toml::node* const device = root.get("device");
        if (device == nullptr || device->as_table() == nullptr) {
            if (device == nullptr) ignore("", Wrong{{}, "device", "it is missing"});
            if (device != nullptr) ignore("", *wrong(*device, "device", "a table"));
            return false;
        }
        Check failed = read_keys(*device->as_table(), kDeviceKeys, file_, &table_.device);
        if (failed) failed->key = "device." + failed->key;
        if (failed) ignore("", *failed);
        return !failed;
    }

    template <class T, std::size_t N>
    void read_list(const toml::node& node, const char* name, const Key<T> (&keys)[N], std::vector<T>* to) {
        const auto* const array = node.as_array();
        if (array == nullptr || !(array->empty() || array->is_array_of_tables()))
            return ignore("", *wrong(node, name, "[[" + std::string(name) + "]] tables"));
        std::size_t count = 0;
        for (const toml::node& each : *array) {
            if (count++ == kMaxRows)
                return ignore("", {each.source().begin, name,
                                   "found more than " + std::to_string(kMaxRows) + ", allowed at most that"});
            T row;
            row.where = {file_, each.source().begin.line, each.source().begin.column};
            const Check failed = read_keys(*each.as_table(), keys, file_, &row);
            if (failed)
                ignore(label_of(*each.as_table(), name), *failed);
            else
                to->push_back(std::move(row));
        }
    }

    // The label of a row is its id, that of a cost its operation, as far as the file has them.
    static std::string label_of(const toml::table& table, const char* name) {
        const bool is_cost = std::string_view(name) == "cost";
        const toml::node* const node = table.get(is_cost ? "operation" : "id");
        const auto* const found = node == nullptr ? nullptr : node->as_string();
        const std::string text = found == nullptr ? "?" : found->get();
        if (!is_word(text)) return "?";
        return is_cost ? "cost of " + text : text;
    }

    void ignore(const std::string& row, const Wrong& what) {
        keep_ignored({table_.key, row, {file_, what.at.line, what.at.column}, what.key + ": " + what.text},
                     ++ignored_, &loaded_.ignored);
    }

    const std::string& file_;
    TuningTable table_;
    LoadedTuning loaded_;
    std::size_t ignored_ = 0;  // parts of the table
};

}  // namespace

LoadedTuning read_tuning(const toml::table& root, const std::string& file, const std::string& key) {
    return Reader(file, key).read(root);
}

}  // namespace tegu::config
