// SPDX-License-Identifier: Apache-2.0
#include "kernels/tuning/device_tuning.h"

#include <algorithm>
#include <set>

#include "base/ignored_rows.h"
#include "kernels/tuning/operation_tuning.h"
#include "kernels/tuning/row_check.h"

namespace tegu::tuning {
namespace {

constexpr std::string_view kDefaultRow = "default";

const PolicySet& default_policies() {
    static const PolicySet defaults{};
    return defaults;
}

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}
bool begins_with(std::string_view text, std::string_view start) {
    return text.size() >= start.size() && std::equal(start.begin(), start.end(), text.begin(),
                                                     [](char a, char b) { return lower(a) == lower(b); });
}
bool same_text(std::string_view a, std::string_view b) {
    return a.size() == b.size() && begins_with(a, b);
}

bool names_machine(const std::string& name, const TuningMachine& machine) {
    return !name.empty() && (same_text(machine.device_name, name) || begins_with(machine.board_name, name));
}

TuningLevel level_of_cpu(const TuningDevice& table, const TuningMachine& machine) {
    const bool named =
        table.name.empty() || same_text(table.name, machine.cpu_name) || names_machine(table.name, machine);
    return named ? TuningLevel::Device : TuningLevel::None;
}

bool is_near(unsigned a, unsigned b) {
    return a <= 2 * b && b <= 2 * a;
}

// The distance between the multiprocessor counts of a table and the machine: tables for any count come last.
double distance_of(const TuningTable& table, const TuningMachine& machine) {
    const double of_table = table.device.multiprocessors, own = machine.limits.multiprocessors;
    if (table.device.multiprocessors == 0) return 1e9;
    return of_table > own ? of_table / own : own / of_table;
}

std::string reason_of(const Error& error) {
    std::string reason = error.field.empty() ? error.message : error.field + ": " + error.message;
    if (!error.allowed.empty()) reason += "; allowed: " + error.allowed;
    return reason;
}

std::string device_text(const TuningDevice& device) {
    std::string text = device.name.empty() ? "any device" : device.name;
    if (device.compute_capability != 0)
        text += ", compute capability " + std::to_string(device.compute_capability);
    if (device.multiprocessors != 0)
        text += ", " + std::to_string(device.multiprocessors) + " multiprocessors";
    if (device.cpu_threads != 0) text += ", " + std::to_string(device.cpu_threads) + " CPU threads";
    return text;
}

std::string_view stem_of(const FusedPart& part) {
    return info_of(operation_of(part)).stem;
}

}  // namespace

std::string_view tuning_level_word(TuningLevel level) {
    switch (level) {
        case TuningLevel::Overlay: return "overlay";
        case TuningLevel::Device: return "device";
        case TuningLevel::Capability: return "compute capability";
        case TuningLevel::None: break;
    }
    return "other device";
}

TuningLevel level_of(const TuningDevice& table, const TuningMachine& machine) {
    if (table.cpu_threads != 0 && table.cpu_threads != machine.cpu_threads) return TuningLevel::None;
    if (table.compute_capability == 0) return level_of_cpu(table, machine);
    const bool named = names_machine(table.name, machine);
    if (!machine.has_gpu) return named ? TuningLevel::Device : TuningLevel::None;
    const unsigned own = machine.limits.multiprocessors;
    if (table.compute_capability != machine.limits.compute_capability) return TuningLevel::None;
    if (named && (table.multiprocessors == 0 || table.multiprocessors == own)) return TuningLevel::Device;
    if (table.multiprocessors == 0) return table.name.empty() ? TuningLevel::Capability : TuningLevel::None;
    return is_near(table.multiprocessors, own) ? TuningLevel::Capability : TuningLevel::None;
}

DeviceTuning::DeviceTuning(const TuningMachine& machine, Span<const TuningTable> tables,
                           const TuningTable* overlay) {
    if (overlay != nullptr) {
        if (level_of(overlay->device, machine) != TuningLevel::None) {
            add(*overlay, TuningLevel::Overlay, machine);
        } else {
            SourceLocation where;
            where.file = overlay->path;
            ignored_.push_back(
                {overlay->key, "", where, "it is for another device: " + device_text(overlay->device)});
        }
    }
    std::vector<const TuningTable*> near;
    for (const TuningTable& table : tables) {
        const TuningLevel level = level_of(table.device, machine);
        if (level == TuningLevel::Device) add(table, level, machine);
        if (level == TuningLevel::Capability) near.push_back(&table);
    }
    std::stable_sort(near.begin(), near.end(), [&](const TuningTable* a, const TuningTable* b) {
        return distance_of(*a, machine) < distance_of(*b, machine);
    });
    for (const TuningTable* table : near) add(*table, TuningLevel::Capability, machine);
}

void DeviceTuning::add(const TuningTable& table, TuningLevel level, const TuningMachine& machine) {
    TableUse use;
    use.key = table.key;
    use.path = table.path;
    use.level = level;
    const auto is_used = [&](TuningBackend backend) {
        return backend == TuningBackend::Cpu ? level != TuningLevel::Capability : machine.has_gpu;
    };
    std::set<std::string_view> ids;
    for (const TuningRow& row : table.rows) {
        if (row.id.empty())
            ignore(table, "?", row.where, "id: the row has none; allowed: a text that no other row has",
                   &use);
        else if (!ids.insert(row.id).second)
            ignore(table, row.id, row.where, "id: another row has the same one", &use);
        else if (is_used(row.jobs.backend))
            add_row(table, row, machine, &use);
    }
    for (const CostRow& cost : table.costs)
        if (is_used(cost.jobs.backend)) add_cost(table, cost, &use);
    end_ignored(use.ignored, &ignored_);
    tables_.push_back(std::move(use));
}

void DeviceTuning::add_row(const TuningTable& table, const TuningRow& row, const TuningMachine& machine,
                           TableUse* use) {
    SourceLocation where;
    Result<PolicySet> policies = policies_of(row, machine.limits, &where);
    if (!policies) return ignore(table, row.id, where, reason_of(policies.error()), use);
    const TuningClass& jobs = row.jobs;
    Entry entry{jobs.sequences,
                jobs.elements,
                jobs.detail,
                jobs.levels,
                jobs.width,
                0,
                kAnyVariant,
                std::move(policies).value(),
                table.key + "/" + row.id};
    if (!jobs.type.empty()) entry.type = static_cast<unsigned>(*find_element_type(jobs.type));
    if (!jobs.variant.empty()) entry.variants = *find_variant(jobs.variant);
    const Operation operation = find_operation(jobs.operation)->operation;
    entries_[static_cast<std::size_t>(jobs.backend)][static_cast<std::size_t>(operation)].push_back(
        std::move(entry));
    ++(jobs.backend == TuningBackend::Cuda ? use->cuda_rows : use->cpu_rows);
}

void DeviceTuning::add_cost(const TuningTable& table, const CostRow& cost, TableUse* use) {
    const Result<void> checked = check_cost(cost);
    if (!checked)
        return ignore(table, "cost of " + cost.jobs.operation, cost.where, reason_of(checked.error()), use);
    costs_.push_back(cost);
    ++use->costs;
}

void DeviceTuning::ignore(const TuningTable& table, const std::string& row, const SourceLocation& where,
                          std::string reason, TableUse* use) {
    keep_ignored({table.key, row, where, std::move(reason)}, ++use->ignored, &ignored_);
}

TuningChoice DeviceTuning::choose(TuningBackend backend, const JobClass& job) const {
    const auto& entries =
        entries_[static_cast<std::size_t>(backend)][static_cast<std::size_t>(job.operation)];
    for (const Entry& entry : entries) {
        if (entry.width != 0 && entry.width != job.width) continue;
        if (!entry.elements.contains(job.elements) || !entry.sequences.contains(job.sequences)) continue;
        if (!entry.detail.contains(job.detail) || !entry.levels.contains(job.levels)) continue;
        if (entry.type != 0 && entry.type != static_cast<unsigned>(job.type)) continue;
        if (entry.variants != kAnyVariant && entry.variants != job.variants) continue;
        return {&entry.policies, entry.name};
    }
    return {&default_policies(), kDefaultRow};
}

JobChoice DeviceTuning::choose(TuningBackend backend, const Job& job) const {
    JobChoice choice;
    choice.whole = choose(backend, class_of(job));
    const auto* const fused = std::get_if<FusedParams>(&job.params);
    if (fused == nullptr) return choice;
    for (const FusedPart& part : fused->parts) {
        if (choice.part_count == choice.parts.size()) break;
        choice.parts[choice.part_count++] = choose(backend, class_of(job, part));
    }
    return choice;
}

std::vector<std::string_view> DeviceTuning::rows(TuningBackend backend, Operation operation) const {
    std::vector<std::string_view> names;
    const auto& of_backend = entries_[static_cast<std::size_t>(backend)];
    for (const Entry& entry : of_backend[static_cast<std::size_t>(operation)]) names.push_back(entry.name);
    return names;
}

bool JobChoice::is_default() const {
    const auto is_row = [](const TuningChoice& part) { return part.row != kDefaultRow; };
    return !is_row(whole) && std::none_of(parts.begin(), parts.begin() + part_count, is_row);
}

std::string JobChoice::row_text(const Job& job) const {
    bool differs = false;
    for (std::size_t i = 0; i < part_count; ++i) differs = differs || parts[i].row != whole.row;
    if (!differs) return std::string(whole.row);
    std::string text;
    const auto& fused = *std::get_if<FusedParams>(&job.params);
    if (whole.row != kDefaultRow) text.append("fused:").append(whole.row).append(",");
    for (std::size_t i = 0; i < part_count; ++i)
        text.append(i == 0 ? "" : ",").append(stem_of(fused.parts[i])).append(":").append(parts[i].row);
    return text;
}

cuda::JobPolicies JobChoice::cuda() const {
    cuda::JobPolicies policies;
    policies.whole = &whole.policies->cuda;
    for (std::size_t i = 0; i < part_count; ++i) policies.parts[i] = &parts[i].policies->cuda;
    return policies;
}

kernels::CpuPolicies JobChoice::cpu(const Job& job) const {
    if (part_count == 0) return whole.policies->cpu;
    PolicySet policies = *whole.policies;
    for (std::size_t i = 0; i < part_count; ++i)
        for (const PolicyField& field :
             tuning_of(operation_of(std::get_if<FusedParams>(&job.params)->parts[i])).cpu)
            field.set(&policies, field.get(*parts[i].policies));
    policies.cpu.share = whole.policies->cpu.share;
    return policies.cpu;
}

}  // namespace tegu::tuning
