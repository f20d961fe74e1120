// SPDX-License-Identifier: Apache-2.0
// S1 on the GPU: lists over k, block size and memory, the extremes by atomics, the full sorts, and tegu's own
// kernels.
#include <cstring>
#include <numeric>

#include "tools/field/seeds/seed_gpu.h"
#include "tools/field/seeds/topk/cases.h"
#include "tools/field/seeds/topk/cub.h"
#include "tools/field/seeds/topk/topk.h"

namespace tegu::field {
namespace {

using seeds::ListMethod;

constexpr unsigned kBlockSizes[] = {32, 64, 128, 256, 512};
// With a capacity this small tegu's top-k sorts all, without a cut.
constexpr unsigned kCapacityThatSorts = 16;

// First: each run pays for moving the input's pages to the GPU. Resident: the pages are there.
enum class Touch { First, Resident };

struct ListWay {
    ListMethod method;
    const char* word;
    const char* title;
};
constexpr ListWay kSeedWay{ListMethod::Search, "search", "lists, each searched first"};
constexpr ListWay kOtherWays[] = {{ListMethod::Threshold, "threshold", "lists, smallest entry first"},
                                  {ListMethod::Merge, "merge", "lists, smallest entry first, linear merge"}};

// One case: its memory and its launches.
class ListRun {
  public:
    ListRun(PartContext& context, std::shared_ptr<ListValues> values, ListMethod method, unsigned k,
            unsigned threads, Touch touch)
        : context_(context),
          lab_(*context.gpu),
          values_(std::move(values)),
          method_(method),
          k_(k),
          policy_{threads, 1},
          touch_(touch) {}
    ~ListRun() {
        if (x_.data() != nullptr) (void)x_.to_host();  // managed memory is freed by the host
    }
    ListRun(const ListRun&) = delete;
    ListRun& operator=(const ListRun&) = delete;

    Result<void> prepare(Case& one) {
        Result<void> done = describe_kernel(lab_, seeds::list_topk_kernel(method_, k_, policy_.threads), one);
        if (done) done = values_->make();
        if (!done) return done;
        policy_.blocks = resident_blocks(lab_, one, policy_.threads);
        DeviceArrays arrays(context_);
        lists_ = arrays.make(std::size_t{4} * policy_.blocks * k_);
        out_ = arrays.make(std::size_t{4} * k_);
        done = arrays.result();
        if (!done) return done;
        Result<ManagedArray> x = ManagedArray::create(lab_, 4 * values_->n());
        if (!x) return std::move(x).error();
        x_ = std::move(*x);
        std::memcpy(x_.data(), values_->data(), 4 * values_->n());
        return touch_ == Touch::Resident ? x_.to_device() : done;
    }
    // The host touches every page, as a program does that makes its input.
    Result<void> give_to_host() {
        Result<void> done = x_.to_host();
        if (done) std::memcpy(x_.data(), values_->data(), 4 * values_->n());
        return done;
    }
    Result<void> run() {
        Result<void> done = touch_ == Touch::First ? x_.to_device() : Result<void>();
        if (done)
            done = cuda::check_cuda(
                launch_list_topk(method_, k_, x_.as<const std::int32_t>(), values_->n(),
                                 out_.as<std::int32_t>(), lists_.as<std::int32_t>(), policy_, lab_.stream()),
                "top-k by lists");
        return done && touch_ == Touch::First ? lab_.synchronize() : done;
    }
    Result<void> check(const std::string& name) {
        Result<void> done = run();
        if (!done) return done;
        const Result<std::vector<std::int32_t>> found = downloaded<std::int32_t>(out_, k_);
        if (!found) return found.error();
        if (!values_->are_largest(*found)) return wrong_result(name);
        return {};
    }

  private:
    PartContext& context_;
    GpuLab& lab_;
    const std::shared_ptr<ListValues> values_;
    const ListMethod method_;
    const unsigned k_;
    seeds::ListPolicy policy_;
    const Touch touch_;
    ManagedArray x_;
    DeviceArray lists_, out_;
};

Case list_case(PartContext& context, const S1& s1, const FieldJob& job, const ListWay& way, unsigned threads,
               Touch touch) {
    const std::string data = touch == Touch::First ? "managed, first touch" : "managed, resident";
    const std::string ways = std::string("lists by ") + way.word + ", " + data;
    Case one = seed_case(job, ways + ", blocks of " + std::to_string(threads), way.title);
    add_axis(one, "threads_per_block", threads);
    add_axis(one, "lists", way.word);
    add_axis(one, "data", data);
    one.bytes = 4 * job.elements();
    one.series = ways + std::to_string(threads);
    one.work = static_cast<double>(job.elements()) * k_of(job) * k_of(job);
    one.clock = touch == Touch::First ? Clock::Wall : Clock::Stream;
    if (way.method != ListMethod::Search) one.priority = 2;
    if (job.priority == 0 && threads != 32 && threads != 256) one.priority = 1;
    const auto run = std::make_shared<ListRun>(context, s1.values, way.method, k_of(job), threads, touch);
    one.prepare = [run](Case& self) { return run->prepare(self); };
    one.check = [run, name = one.name] { return run->check(name); };
    if (touch == Touch::First) one.before = [run](std::size_t) { return run->give_to_host(); };
    one.run = [run](std::size_t) { return run->run(); };
    return one;
}

void add_lists(PartContext& context, CaseList& cases, const S1& s1) {
    const std::size_t max = context.gpu->limits().shared_bytes_per_block;
    for (const FieldJob& job : s1.jobs)
        for (const unsigned threads : kBlockSizes) {
            const std::size_t bytes = seeds::list_topk_shared_bytes(k_of(job), threads);
            if (bytes > max) {
                cases.skip(job.name + ", lists, blocks of " + std::to_string(threads), "seed",
                           "the lists of a block take " + std::to_string(bytes) +
                               " bytes of shared memory; it has " + std::to_string(max));
                continue;
            }
            for (const Touch touch : {Touch::First, Touch::Resident})
                cases.add(list_case(context, s1, job, kSeedWay, threads, touch));
            for (const ListWay& way : kOtherWays)
                cases.add(list_case(context, s1, job, way, threads, Touch::Resident));
        }
}

// --- full sorts

// tegu's own top-k, made to sort all values. Its result is compared as that of tegu's own case is.
Case sort_case(PartContext& context, const FieldJob& job) {
    cuda::Policies policies;
    policies.selection.capacity = kCapacityThatSorts;
    Case one =
        gpu_case(std::make_shared<JobSetup>(context, job), std::make_shared<const cuda::Policies>(policies));
    one.name += ", full sort";
    one.backend = "seed";
    one.series.clear();
    one.finish = [](Case& self) { self.method = "full sort (tegu's radix sort), GPU"; };
    return one;
}

struct CubRun {
    DeviceInputs x;
    DeviceArray space, order, sorted, sorted_order, out;

    seeds::CubMemory memory() const {
        return {space.data(), space.bytes(), order.as<const std::uint32_t>(), sorted.as<std::int32_t>(),
                sorted_order.as<std::uint32_t>()};
    }
};

Result<void> upload_order(DeviceArray& order) {
    std::vector<std::uint32_t> numbers;
    Result<void> made = within_memory([&] { numbers.resize(order.bytes() / sizeof(std::uint32_t)); });
    if (!made) return made;
    std::iota(numbers.begin(), numbers.end(), 0u);
    return order.upload(numbers.data(), order.bytes());
}

Case cub_case(PartContext& context, const S1& s1, const FieldJob& job) {
    Case one = seed_case(job, "full sort", "full sort (CUB), GPU");
    one.backend = "peer:cub";
    one.clock = Clock::Stream;
    GpuLab& lab = *context.gpu;
    const auto run = std::make_shared<CubRun>();
    const auto n = static_cast<std::uint32_t>(job.elements());
    const unsigned k = k_of(job);
    one.prepare = [run, values = s1.values, &context, n, k](Case&) {
        Result<void> done = values->make();
        if (!done) return done;
        DeviceArrays arrays(context);
        run->space = arrays.make(seeds::cub_topk_space(n));
        for (DeviceArray* array : {&run->order, &run->sorted, &run->sorted_order})
            *array = arrays.make(std::size_t{4} * n);
        run->out = arrays.make(std::size_t{4} * k);
        run->x = arrays.copies(values->data(), 4 * values->n(), 1);
        done = arrays.result();
        return done ? upload_order(run->order) : done;
    };
    one.run = [run, &lab, n, k](std::size_t turn) {
        return cuda::check_cuda(launch_cub_topk(run->memory(), static_cast<const std::int32_t*>(run->x[turn]),
                                                n, k, run->out.as<std::int32_t>(), lab.stream()),
                                "CUB's sort");
    };
    one.check = [run, values = s1.values, again = one.run, k, name = one.name]() -> Result<void> {
        Result<void> done = again(0);
        if (!done) return done;
        const Result<std::vector<std::int32_t>> found = downloaded<std::int32_t>(run->out, k);
        if (!found) return found.error();
        if (!values->are_largest(*found)) return wrong_result(name);
        return {};
    };
    return one;
}

void add_sorts(PartContext& context, CaseList& cases, const S1& s1) {
    for (const FieldJob& job : s1.jobs) {
        if (job.priority != 0 && &job != &s1.jobs.back()) continue;  // the time hardly depends on k
        cases.add(sort_case(context, job));
        if (seeds::cub_topk_space(1) != 0)
            cases.add(cub_case(context, s1, job));
        else
            cases.skip(job.name + ", full sort", "peer:cub",
                       "this program was built with a toolkit without CUB");
    }
}

// --- extremes

struct ExtremesRun {
    DeviceInputs x;
    DeviceArray keys;
    unsigned blocks = 1;
};

Case extremes_case(PartContext& context, const S1& s1, unsigned threads) {
    Case one = seed_case(s1.extremes, "tree and atomics, blocks of " + std::to_string(threads),
                         "tree and two atomics");
    add_axis(one, "threads_per_block", threads);
    add_axis(one, "data", "resident");
    one.bytes = 4 * s1.extremes.elements();
    one.clock = Clock::Stream;
    GpuLab& lab = *context.gpu;
    const auto run = std::make_shared<ExtremesRun>();
    one.prepare = [run, values = s1.values, &context, &lab, threads](Case& self) {
        Result<void> done = describe_kernel(lab, seeds::plain_extremes_kernel(threads), self);
        if (done) done = values->make();
        if (!done) return done;
        run->blocks = resident_blocks(lab, self, threads);
        DeviceArrays arrays(context);
        run->keys = arrays.make(2 * sizeof(std::uint32_t));
        run->x = arrays.copies(values->data(), 4 * values->n(), 1);
        const std::uint32_t none[] = {seeds::extreme_key(INT32_MAX), seeds::extreme_key(INT32_MIN)};
        done = arrays.result();
        return done ? run->keys.upload(none, sizeof none) : done;
    };
    one.run = [run, n = s1.extremes.elements(), &lab, threads](std::size_t turn) {
        return cuda::check_cuda(launch_plain_extremes(static_cast<const std::int32_t*>(run->x[turn]), n,
                                                      run->keys.as<std::uint32_t>(),
                                                      seeds::ListPolicy{threads, run->blocks}, lab.stream()),
                                "extremes");
    };
    one.check = [run, values = s1.values, again = one.run, name = one.name]() -> Result<void> {
        Result<void> done = again(0);
        if (!done) return done;
        const Result<std::vector<std::uint32_t>> keys = downloaded<std::uint32_t>(run->keys, 2);
        if (!keys) return keys.error();
        const auto expected = std::minmax_element(values->data(), values->data() + values->n());
        if (seeds::extreme_value((*keys)[0]) != *expected.first ||
            seeds::extreme_value((*keys)[1]) != *expected.second)
            return wrong_result(name);
        return {};
    };
    return one;
}

}  // namespace

void add_s1_gpu_cases(PartContext& context, CaseList& cases, const S1& s1) {
    add_lists(context, cases, s1);
    add_sorts(context, cases, s1);
    for (const unsigned threads : {128u, 256u, 1024u}) cases.add(extremes_case(context, s1, threads));
}

}  // namespace tegu::field
