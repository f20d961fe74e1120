// SPDX-License-Identifier: Apache-2.0
#include "config/tuning_values.h"

#include <algorithm>
#include <cmath>

namespace tegu::config {
namespace {

constexpr std::size_t kMaxPoints = 1024;  // of a cost
constexpr std::size_t kMaxTextBytes = 200;

std::optional<double> finite_number(const toml::node& node) {
    if (const auto* integer = node.as_integer()) return static_cast<double>(integer->get());
    if (const auto* number = node.as_floating_point(); number != nullptr && std::isfinite(number->get()))
        return number->get() + 0.0;  // no -0
    return std::nullopt;
}

}  // namespace

Check wrong(const toml::node& node, std::string key, const std::string& allowed) {
    return Wrong{node.source().begin, std::move(key), "found " + node_text(node) + ", allowed " + allowed};
}

bool is_plain(const std::string& text) {
    return text.size() <= kMaxTextBytes &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= 0x20 && c < 0x7f; });
}

bool is_word(const std::string& text) {
    return !text.empty() && is_plain(text);
}

Check read_text(const toml::node& node, const char* key, std::string* to) {
    const auto* const text = node.as_string();
    if (text == nullptr || !is_plain(text->get())) {
        const std::string max = std::to_string(kMaxTextBytes);
        return wrong(node, key, "a string of at most " + max + " printable ASCII characters");
    }
    *to = text->get();
    return std::nullopt;
}

Check read_count(const toml::node& node, const char* key, std::int64_t max, unsigned* to) {
    const auto* const number = node.as_integer();
    if (number == nullptr || number->get() < 0 || number->get() > max)
        return wrong(node, key, "an integer 0.." + std::to_string(max));
    *to = static_cast<unsigned>(number->get());
    return std::nullopt;
}

Check read_number(const toml::node& node, const char* key, double* to) {
    const std::optional<double> number = finite_number(node);
    if (!number || *number < 0) return wrong(node, key, "a number, 0 or more");
    *to = *number;
    return std::nullopt;
}

Check read_backend(const toml::node& node, TuningBackend* to) {
    const auto* const text = node.as_string();
    if (text == nullptr || (text->get() != "cuda" && text->get() != "cpu"))
        return wrong(node, "backend", "\"cuda\" or \"cpu\"");
    *to = text->get() == "cuda" ? TuningBackend::Cuda : TuningBackend::Cpu;
    return std::nullopt;
}

Check read_capability(const toml::node& node, unsigned* to) {
    const auto* const text = node.as_string();
    const std::string value = text == nullptr ? "" : text->get();
    const std::size_t dot = value.find('.');
    const auto digits = [&](std::size_t begin, std::size_t end) {
        return end > begin && end - begin <= 2 && value.find_first_not_of("0123456789", begin) >= end;
    };
    const std::size_t size = value.size();
    const bool has_minor = dot != std::string::npos && dot + 2 == size && digits(dot + 1, size);
    if (!has_minor || !digits(0, dot)) return wrong(node, "compute_capability", "a string such as \"8.7\"");
    *to = static_cast<unsigned>(std::stoul(value.substr(0, dot)) * 10 + std::stoul(value.substr(dot + 1)));
    return std::nullopt;
}

Check read_range(const toml::node& node, const char* key, TuningRange* to) {
    const std::string allowed = "[begin, end] of integers with 0 <= begin < end, or [begin]";
    const auto* const array = node.as_array();
    if (array == nullptr || array->empty() || array->size() > 2) return wrong(node, key, allowed);
    TuningRange range;
    for (std::size_t i = 0; i < array->size(); ++i) {
        const auto* const number = array->get(i)->as_integer();
        if (number == nullptr || number->get() < 0) return wrong(*array->get(i), key, allowed);
        (i == 0 ? range.begin : range.end) = static_cast<std::uint64_t>(number->get());
    }
    if (range.begin >= range.end) {
        const std::string found = std::to_string(range.begin) + ", " + std::to_string(range.end);
        return Wrong{node.source().begin, key, "found [" + found + "], allowed " + allowed};
    }
    *to = range;
    return std::nullopt;
}

Check read_points(const toml::node& node, std::vector<CostPoint>* to) {
    const std::string max = std::to_string(kMaxPoints);
    const std::string allowed = "[[elements, microseconds], ...] of numbers, up to " + max;
    const auto* const array = node.as_array();
    if (array == nullptr || array->size() > kMaxPoints) return wrong(node, "points", allowed);
    for (const toml::node& each : *array) {
        const auto* const pair = each.as_array();
        if (pair == nullptr || pair->size() != 2) return wrong(each, "points", allowed);
        const std::optional<double> elements = finite_number(*pair->get(0));
        const std::optional<double> time_us = finite_number(*pair->get(1));
        if (!elements || !time_us) return wrong(each, "points", allowed);
        to->push_back({*elements, *time_us});
    }
    return std::nullopt;
}

}  // namespace tegu::config
