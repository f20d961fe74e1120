// SPDX-License-Identifier: Apache-2.0
// S3 on the GPU: the four steps, and tegu's own kernel.
#include "tools/field/seeds/rowscale/cases.h"
#include "tools/field/seeds/rowscale/rowscale.h"
#include "tools/field/seeds/seed_gpu.h"

namespace tegu::field {
namespace {

using seeds::RowScaleStep;

struct StepInfo {
    RowScaleStep step;
    const char *word, *change;
};
constexpr StepInfo kSteps[] = {
#define TEGU_X(Name, word, change) {RowScaleStep::Name, word, change},
    TEGU_ROW_SCALE_STEPS(TEGU_X)
#undef TEGU_X
};

class RowRun {
  public:
    RowRun(PartContext& context, std::shared_ptr<RowValues> values, RowScaleStep step, unsigned threads)
        : context_(context), lab_(*context.gpu), values_(std::move(values)), step_(step), threads_(threads) {}

    Result<void> prepare(Case& one) {
        Result<void> done = values_->make();
        if (!done) return done;
        DeviceArrays arrays(context_);
        out_ = arrays.make(values_->bytes());
        x_ = arrays.copies(values_->x(), values_->bytes(), 1);
        done = arrays.result();
        return done ? describe_kernel(lab_, seeds::row_scale_kernel(step_, matrix(0), threads_), one) : done;
    }
    Result<void> run(std::size_t turn) {
        return cuda::check_cuda(launch_row_scale(step_, matrix(turn), threads_, lab_.stream()), "rows");
    }
    Result<void> check(const std::string& name) {
        Result<void> done = run(0);
        return done ? expect_values(lab_, out_, values_->expected().data(), values_->expected().size(), 0,
                                    name)
                    : done;
    }

  private:
    seeds::RowScaleMatrix matrix(std::size_t turn) const {
        return {static_cast<const float*>(x_[turn]), out_.as<float>(), values_->rows(), values_->cols()};
    }
    PartContext& context_;
    GpuLab& lab_;
    const std::shared_ptr<RowValues> values_;
    const RowScaleStep step_;
    const unsigned threads_;
    DeviceInputs x_;
    DeviceArray out_;
};

}  // namespace

void add_s3_gpu_cases(PartContext& context, CaseList& cases, const FieldJob& job,
                      const std::shared_ptr<RowValues>& values) {
    for (const StepInfo& info : kSteps)
        for (const unsigned threads : {128u, 256u}) {
            Case one =
                seed_case(job, std::string(info.word) + ", blocks of " + std::to_string(threads), info.word);
            add_axis(one, "threads_per_block", threads);
            add_axis(one, "data", "resident");
            one.bytes = 2 * values->bytes();
            one.clock = Clock::Stream;
            one.note = info.change;
            if (threads != 128) one.priority = 2;
            const auto run = std::make_shared<RowRun>(context, values, info.step, threads);
            one.prepare = [run](Case& self) { return run->prepare(self); };
            one.check = [run, name = one.name] { return run->check(name); };
            one.run = [run](std::size_t turn) { return run->run(turn); };
            cases.add(std::move(one));
        }
}

}  // namespace tegu::field
