// SPDX-License-Identifier: Apache-2.0
// tegu add: the sum of two arrays, element by element, in their type.
#include <cmath>

#include "tools/tegu/operations/elementwise.h"

namespace tegu {
namespace cli {
namespace {

class Add : public Elementwise {
  public:
    explicit Add(const JobOptions& job) : Elementwise(job, TEGU_ROLE_VALUES, "sum") {}
    void add_options(CommandLine& line) {
        add_picture_options(line, "the range of an integer type; of floats, data");
    }
    Expected<void> fill(tegu_params&) override { return {}; }

  protected:
    Range full_range(const Finished& job) const override {
        const std::uint8_t type = job.header().array.type;
        if (type == TEGU_F16 || type == TEGU_F32 || type == TEGU_F64) return Range();
        const bool is_signed = type == TEGU_I8 || type == TEGU_I16 || type == TEGU_I32 || type == TEGU_I64;
        const double values = std::ldexp(1, static_cast<int>(8 * tegu_element_bytes(type)));
        return is_signed ? Range{-values / 2, values / 2 - 1} : Range{0, values - 1};
    }
};

Action setup_add(CommandLine& line) {
    auto command = std::make_shared<OperationCommand<Add>>();
    command->operation.add_options(line);
    add_job_options_of_two(line, command->job);
    add_output_options(line, command->job, command->operation.formats());
    return action_of(command, TEGU_ADD, "add");
}

}  // namespace

Command add_command() {
    return {"add", "Sum of two arrays, element by element", "tegu add first.npy second.npy -o sum.npy",
            setup_add};
}

}  // namespace cli
}  // namespace tegu
