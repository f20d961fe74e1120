// SPDX-License-Identifier: Apache-2.0
// tegu dot: the scalar product of two arrays, or of each row of one with the same row of the other.
#include "tools/tegu/operation.h"
#include "tools/tegu/output/text.h"

namespace tegu {
namespace cli {
namespace {

class Dot : public Operation {
  public:
    explicit Dot(const JobOptions& job) : Operation(job) {}

    Expected<void> fill(tegu_params& params) override {
        params.dot.skip_nans = job_.skip_nans ? 1 : 0;
        return {};
    }

    std::vector<std::uint8_t> roles() const override { return {TEGU_ROLE_DOT}; }

    std::string human(const Finished& job) const override {
        return column_text(job.array(TEGU_ROLE_DOT), job_.by_rows());
    }

    void json(Json& json, const Finished& job) const override {
        json.key("dot");
        add_cells(json, job.array(TEGU_ROLE_DOT), job_.by_rows());
    }
};

Action setup_dot(CommandLine& line) {
    auto command = std::make_shared<OperationCommand<Dot>>();
    add_axis_options(line, command->job);
    add_nan_option(line, command->job, "Leave out the pairs with a NaN");
    add_job_options_of_two(line, command->job);
    add_output_options(line, command->job, command->operation.formats());
    return action_of(command, TEGU_DOT, "dot");
}

}  // namespace

Command dot_command() {
    return {"dot", "Scalar product of two arrays", "tegu dot --rows first.npy second.npy", setup_dot};
}

}  // namespace cli
}  // namespace tegu
