// SPDX-License-Identifier: Apache-2.0
// tegu fused: several operations on one array in one job, with as few reads of the array as possible. The
// main option of an operation selects it; results have the same format as those of the single operations.
#include "tools/tegu/operation.h"
#include "tools/tegu/output/npy_output.h"

namespace tegu {
namespace cli {
namespace {

class Fused : public Operation {
  public:
    explicit Fused(const JobOptions& job) : Operation(job) {
        for (const Command& command : commands())
            if (command.make_part != nullptr) all_.push_back(command.make_part(job));
    }

    void add_options(CommandLine& line) {
        for (const auto& part : all_) part->add_options(line, false);
    }

    Expected<void> fill(tegu_params& params) override {
        bool has_range = false;
        for (const auto& part : all_) {
            if (!part->wanted()) continue;
            chosen_.push_back(part.get());
            raw_.emplace_back();
            tegu_part_init(&raw_.back(), part->number());
            Expected<void> filled = part->fill(raw_.back().params);
            if (!filled) return filled;
            has_range = has_range || part->number() == TEGU_HISTOGRAM || part->number() == TEGU_ENTROPY;
        }
        const char* options = "--stats, -k, -q, --bins, --levels";
        if (chosen_.empty())
            return failure(kUsage, "nothing to compute: no operation is asked for", "parts", options);
        if (!job_.range.empty() && !has_range)
            return failure(kUsage, "--range needs --bins or --levels", "--range");
        params.fused.parts = raw_.data();
        params.fused.count = static_cast<std::uint32_t>(raw_.size());
        return {};
    }

    std::vector<std::uint8_t> roles() const override {
        std::vector<std::uint8_t> roles;
        for (const Part* part : chosen_)
            for (const std::uint8_t role : part->roles()) roles.push_back(role);
        return roles;
    }

    std::string human(const Finished& job) const override {
        std::string text;
        for (const Part* part : chosen_) text += (text.empty() ? "" : "\n") + part->human(job);
        return text;
    }

    void json(Json& json, const Finished& job) const override {
        for (const Part* part : chosen_) part->json(json, job);
    }

  private:
    std::vector<std::unique_ptr<Part>> all_;
    std::vector<Part*> chosen_;
    std::vector<tegu_part> raw_;
};

Action setup_fused(CommandLine& line) {
    auto command = std::make_shared<OperationCommand<Fused>>();
    command->operation.add_options(line);
    add_range_option(line, command->job,
                     "Of the bins and of the levels; without it each has its own default");
    add_axis_options(line, command->job);
    add_nan_option(line, command->job, "Leave NaN elements out of everything but top-k");
    add_job_options(line, command->job);
    add_output_options(line, command->job, command->operation.formats());
    return action_of(command, TEGU_FUSED, "fused");
}

}  // namespace

Command fused_command() {
    return {"fused", "Several operations on one array, in one pass where possible",
            "tegu fused --stats min,max,std --bins 64 --levels 256 -q 0.5 photo.png", setup_fused};
}

}  // namespace cli
}  // namespace tegu
