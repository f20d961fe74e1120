// SPDX-License-Identifier: Apache-2.0
// S5 on the GPU: one block and many, static and dynamic shared memory, and tegu's own kernels. The notes of
// the records are the resource report.
#include "tools/field/seeds/dot/cases.h"
#include "tools/field/seeds/seed_gpu.h"

namespace tegu::field {
namespace {

using seeds::SharedMemory;

class VectorRun {
  public:
    VectorRun(PartContext& context, std::shared_ptr<VectorValues> values, seeds::VectorStatistic statistic,
              const seeds::VectorPolicy& policy)
        : context_(context),
          lab_(*context.gpu),
          values_(std::move(values)),
          statistic_(statistic),
          policy_(policy) {}

    Result<void> prepare(Case& one) {
        Result<void> done = describe_kernel(lab_, seeds::vector_kernel(statistic_, policy_), one);
        if (done) done = values_->make();
        if (!done) return done;
        if (policy_.blocks != 1) policy_.blocks = resident_blocks(lab_, one, policy_.threads);
        const bool has_two = statistic_ == seeds::VectorStatistic::Dot;
        DeviceArrays arrays(context_);
        partials_ = arrays.make(sizeof(float) * policy_.blocks);
        out_ = arrays.make(sizeof(float));
        x_ = arrays.copies(values_->x().data(), 4 * values_->n(), has_two ? 2 : 1);
        if (has_two) y_ = arrays.copies(values_->y().data(), 4 * values_->n(), 1);
        one.bytes = (has_two ? 8 : 4) * values_->n();
        return arrays.result();
    }
    Result<void> run(std::size_t turn) {
        const bool has_two = statistic_ == seeds::VectorStatistic::Dot;
        const seeds::VectorInput input{static_cast<const float*>(x_[turn]),
                                       has_two ? static_cast<const float*>(y_[turn]) : nullptr, values_->n()};
        return cuda::check_cuda(launch_vector_statistic(statistic_, input, partials_.as<float>(),
                                                        out_.as<float>(), policy_, lab_.stream()),
                                "vector statistic");
    }
    Result<void> check(const std::string& name) {
        Result<void> done = run(0);
        const float expected = values_->expected(statistic_);
        return done ? expect_values(lab_, out_, &expected, 1, 0, name) : done;
    }

  private:
    PartContext& context_;
    GpuLab& lab_;
    const std::shared_ptr<VectorValues> values_;
    const seeds::VectorStatistic statistic_;
    seeds::VectorPolicy policy_;
    DeviceInputs x_, y_;
    DeviceArray partials_, out_;
};

Case vector_case(PartContext& context, const VectorJob& vector, const std::shared_ptr<VectorValues>& values,
                 unsigned threads, bool many, SharedMemory shared) {
    const std::string form =
        std::string(many ? "many blocks" : "one block") +
        (shared == SharedMemory::Static ? ", static shared memory" : ", dynamic shared memory");
    Case one = seed_case(vector.job, form + ", blocks of " + std::to_string(threads), form);
    add_axis(one, "threads_per_block", threads);
    add_axis(one, "data", "resident");
    one.clock = Clock::Stream;
    if (threads != 1024) one.priority = 2;
    const seeds::VectorPolicy policy{threads, many ? 0u : 1u, shared};
    const auto run = std::make_shared<VectorRun>(context, values, vector.statistic, policy);
    one.prepare = [run](Case& self) { return run->prepare(self); };
    one.check = [run, name = one.name] { return run->check(name); };
    one.run = [run](std::size_t turn) { return run->run(turn); };
    return one;
}

}  // namespace

void add_s5_gpu_cases(PartContext& context, CaseList& cases, const VectorJob& vector,
                      const std::shared_ptr<VectorValues>& values) {
    for (const bool many : {false, true})
        for (const SharedMemory shared : {SharedMemory::Static, SharedMemory::Dynamic})
            for (const unsigned threads : {1024u, 256u, 128u})
                cases.add(vector_case(context, vector, values, threads, many, shared));
}

}  // namespace tegu::field
