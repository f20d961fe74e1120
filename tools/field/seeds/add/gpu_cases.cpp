// SPDX-License-Identifier: Apache-2.0
// S2 on the GPU: the sum of two vectors with its data in device memory, copied or managed; the rungs of the
// ladder; tegu's own kernels.
#include <cstring>
#include <numeric>
#include <type_traits>

#include "tools/field/seeds/add/add.h"
#include "tools/field/seeds/add/cases.h"
#include "tools/field/seeds/add/ladder.h"
#include "tools/field/seeds/seed_gpu.h"

namespace tegu::field {
namespace {

using seeds::kLadderSteps;
using seeds::LadderStep;
using seeds::LadderStepInfo;

constexpr unsigned kAddThreads = 1024;

// --- two vectors

enum class Way { Resident, Copied, Managed };

class AddRun {
  public:
    AddRun(PartContext& context, std::uint64_t n, Way way)
        : context_(context), lab_(*context.gpu), n_(n), way_(way) {}
    ~AddRun() {
        for (ManagedArray& array : managed_)
            if (array.data() != nullptr) (void)array.to_host();  // managed memory is freed by the host
    }
    AddRun(const AddRun&) = delete;
    AddRun& operator=(const AddRun&) = delete;

    Result<void> prepare(Case& one) {
        Result<void> done = describe_kernel(lab_, seeds::plain_add_kernel(kAddThreads), one);
        if (done)
            done = within_memory([&] {
                x_ = context_.inputs.get(ElementType::F32, n_, Values::Small, 0);
                y_ = context_.inputs.get(ElementType::F32, n_, Values::Small, 1);
                z_.resize(n_);
            });
        if (!done) return done;
        if (way_ == Way::Managed) return make_managed();
        DeviceArrays arrays(context_);
        device_z_ = arrays.make(bytes());
        const bool in_turn = way_ == Way::Resident;
        device_x_ = in_turn ? arrays.copies(x_->data(), bytes(), 2) : arrays.copy(x_->data(), bytes());
        device_y_ = in_turn ? arrays.copies(y_->data(), bytes(), 1) : arrays.copy(y_->data(), bytes());
        return arrays.result();
    }
    // Managed memory: the host writes its inputs before each run.
    Result<void> write_inputs() {
        for (ManagedArray& array : managed_) {
            Result<void> done = array.to_host();
            if (!done) return done;
        }
        std::memcpy(managed_[0].data(), x_->data(), bytes());
        std::memcpy(managed_[1].data(), y_->data(), bytes());
        return {};
    }
    Result<void> run(std::size_t turn) {
        switch (way_) {
            case Way::Resident:
                return launch(static_cast<const float*>(device_x_[turn]),
                              static_cast<const float*>(device_y_[turn]), device_z_.as<float>());
            case Way::Copied: return run_copied();
            case Way::Managed: break;
        }
        return run_managed();
    }
    Result<void> check(const std::string& name) {
        Result<void> done = run(0);
        if (done && way_ == Way::Resident) done = device_z_.download(z_.data(), bytes());
        if (!done) return done;
        const float* const x = values_of<float>(x_);
        const float* const y = values_of<float>(y_);
        for (std::uint64_t i = 0; i < n_; ++i)
            if (z_[i] != x[i] + y[i]) return wrong_result(name);
        return {};
    }

  private:
    std::uint64_t bytes() const { return 4 * n_; }
    Result<void> launch(const float* x, const float* y, float* z) {
        return cuda::check_cuda(seeds::launch_plain_add(x, y, z, n_, kAddThreads, lab_.stream()), "add");
    }
    Result<void> make_managed() {
        for (ManagedArray& array : managed_) {
            Result<ManagedArray> made = ManagedArray::create(lab_, bytes());
            if (!made) return std::move(made).error();
            array = std::move(*made);
        }
        return write_inputs();
    }
    Result<void> run_copied() {
        const auto to = [&](void* device, const void* host) {
            return lab_.gpu().copy(device, host, bytes(), lab_.stream());
        };
        Result<void> done = to(device_x_[0], x_->data());
        if (done) done = to(device_y_[0], y_->data());
        if (done)
            done = launch(static_cast<const float*>(device_x_[0]), static_cast<const float*>(device_y_[0]),
                          device_z_.as<float>());
        if (done) done = lab_.gpu().copy(z_.data(), device_z_.data(), bytes(), lab_.stream());
        return done ? lab_.synchronize() : done;
    }
    Result<void> run_managed() {
        for (ManagedArray& array : managed_) {
            Result<void> done = array.to_device();
            if (!done) return done;
        }
        Result<void> done =
            launch(managed_[0].as<const float>(), managed_[1].as<const float>(), managed_[2].as<float>());
        if (done) done = managed_[2].to_host();
        if (done) std::memcpy(z_.data(), managed_[2].data(), bytes());
        return done;
    }

    PartContext& context_;
    GpuLab& lab_;
    const std::uint64_t n_;
    const Way way_;
    Bytes x_, y_;
    std::vector<float> z_;
    DeviceInputs device_x_, device_y_;
    DeviceArray device_z_;
    ManagedArray managed_[3];
};

Case add_case(PartContext& context, const FieldJob& job, Way way) {
    const char* const data = way == Way::Resident ? "resident"
                             : way == Way::Copied ? "copied"
                                                  : "managed, first touch";
    Case one = seed_case(job, std::string("one thread per element, ") + data, "one thread per element");
    add_axis(one, "threads_per_block", kAddThreads);
    add_axis(one, "data", data);
    one.bytes = 12 * job.elements();
    one.clock = way == Way::Resident ? Clock::Stream : Clock::Wall;
    const auto run = std::make_shared<AddRun>(context, job.elements(), way);
    one.prepare = [run](Case& self) { return run->prepare(self); };
    one.check = [run, name = one.name] { return run->check(name); };
    if (way == Way::Managed) one.before = [run](std::size_t) { return run->write_inputs(); };
    one.run = [run](std::size_t turn) { return run->run(turn); };
    return one;
}

// --- the ladder

// T: f32, whose partial sums are S = f32 and whose values have an exact sum; or i32 with S = i64.
template <class T, class S>
class LadderCase {
  public:
    // The elements to add. Called once, in prepare().
    struct Input {
        const T* values;
        S sum;
    };
    using MakeInput = std::function<Result<Input>()>;

    LadderCase(PartContext& context, const LadderStepInfo& info, unsigned threads, std::uint64_t n,
               MakeInput make_input)
        : context_(context),
          lab_(*context.gpu),
          info_(info),
          policy_{threads},
          n_(n),
          make_input_(std::move(make_input)) {}

    Result<void> prepare(Case& one) {
        const bool is_float = std::is_same<T, float>::value;
        Result<void> done = describe_kernel(lab_, seeds::ladder_kernel(info_.step, is_float, policy_), one);
        if (!done) return done;
        const Result<Input> input = make_input_();
        if (!input) return input.error();
        expected_ = input->sum;
        DeviceArrays arrays(context_);
        partials_ = arrays.make(seeds::ladder_blocks(info_.step, n_, policy_, lab_.limits()) * sizeof(S));
        ticket_ = arrays.make(sizeof(std::uint32_t));
        x_ = arrays.copies(input->values, n_ * sizeof(T), 1);
        const std::uint32_t zero = 0;
        done = arrays.result();
        return done ? ticket_.upload(&zero, sizeof zero) : done;
    }
    Result<void> run(std::size_t turn) {
        return cuda::check_cuda(
            launch_ladder(info_.step, static_cast<const T*>(x_[turn]), n_, partials_.template as<S>(),
                          ticket_.template as<std::uint32_t>(), policy_, lab_.limits(), lab_.stream()),
            "the ladder");
    }
    Result<void> check(const std::string& name) {
        Result<void> done = run(0);
        if (!done) return done;
        const Result<std::vector<S>> left = downloaded<S>(
            partials_,
            static_cast<std::size_t>(seeds::ladder_partials(info_.step, n_, policy_, lab_.limits())));
        if (!left) return left.error();
        using Total = typename std::conditional<std::is_same<S, float>::value, double, S>::type;
        if (std::accumulate(left->begin(), left->end(), Total{0}) != static_cast<Total>(expected_))
            return wrong_result(name);
        return {};
    }

  private:
    PartContext& context_;
    GpuLab& lab_;
    const LadderStepInfo info_;
    const seeds::LadderPolicy policy_;
    const std::uint64_t n_;
    const MakeInput make_input_;
    S expected_ = 0;
    DeviceInputs x_;
    DeviceArray partials_, ticket_;
};

template <class T, class S>
void add_ladder(PartContext& context, CaseList& cases, const FieldJob& job,
                typename LadderCase<T, S>::MakeInput make_input) {
    for (const unsigned threads : {1024u, 512u, 256u, 128u})
        for (const LadderStepInfo& info : kLadderSteps) {
            const std::string step = std::string(info.word) + ". " + info.title;
            Case one = seed_case(job, step + ", blocks of " + std::to_string(threads), step);
            add_axis(one, "threads_per_block", threads);
            add_axis(one, "data", "resident");
            one.bytes = job.elements() * sizeof(T);
            one.clock = Clock::Stream;
            one.note = info.change;
            if (threads != 1024) one.priority = 2;
            const auto run =
                std::make_shared<LadderCase<T, S>>(context, info, threads, job.elements(), make_input);
            one.prepare = [run](Case& self) { return run->prepare(self); };
            one.check = [run, name = one.name] { return run->check(name); };
            one.run = [run](std::size_t turn) { return run->run(turn); };
            cases.add(std::move(one));
        }
}

}  // namespace

void add_s2_gpu_cases(PartContext& context, CaseList& cases, const S2& s2,
                      const std::shared_ptr<SumValues>& floats) {
    for (const Way way : {Way::Resident, Way::Copied, Way::Managed})
        cases.add(add_case(context, s2.add, way));
    add_ladder<float, float>(
        context, cases, s2.sum_f32, [floats]() -> Result<LadderCase<float, float>::Input> {
            const Result<void> made = floats->make();
            if (!made) return made.error();
            return LadderCase<float, float>::Input{floats->values().data(), floats->sum()};
        });
    const auto integers = std::make_shared<Bytes>();
    using IntegerInput = LadderCase<std::int32_t, std::int64_t>::Input;
    add_ladder<std::int32_t, std::int64_t>(
        context, cases, s2.sum_i32,
        [integers, &context, n = s2.sum_i32.elements()]() -> Result<IntegerInput> {
            const Result<void> made =
                within_memory([&] { *integers = context.inputs.get(ElementType::I32, n); });
            if (!made) return made.error();
            const std::int32_t* const values = values_of<std::int32_t>(*integers);
            return IntegerInput{values, std::accumulate(values, values + n, std::int64_t{0})};
        });
}

}  // namespace tegu::field
