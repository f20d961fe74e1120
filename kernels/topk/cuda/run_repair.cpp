// SPDX-License-Identifier: Apache-2.0
// Finds bad cuts by the numbers of their survivors, and repeats these selections.
#include "kernels/topk/cuda/run.h"

namespace tegu::cuda {

Result<void> read_survivors(TopkRun* run, const UsedCuts& cuts, std::vector<std::uint64_t>* found) {
    const std::uint64_t count = run->in.count;
    if (cuts.seen != nullptr) {
        Result<void> done = run->context.workspace->synchronize();
        if (done) found->assign(cuts.seen, cuts.seen + count);
        run->waited = true;
        return done;
    }
    std::vector<SelectState> states(static_cast<std::size_t>(count));
    Result<void> done =
        run->context.workspace->read(states.data(), cuts.states, states.size() * sizeof(SelectState));
    for (const SelectState& state : states) found->push_back(state.survivors);
    return done;
}

Result<void> repair_cuts(TopkRun* run, const UsedCuts& cuts,
                         const std::function<Result<void>(const TopkBatch&)>& select) {
    std::vector<std::uint64_t> found;
    Result<void> done = read_survivors(run, cuts, &found);
    if (!done) return done;
    Workspace& workspace = *run->context.workspace;
    ExactCut exact{run->output.k, cuts.capacity, nullptr, nullptr, nullptr};
    for (std::uint64_t number = 0; number < run->in.count; ++number) {
        const std::uint64_t survivors = found[static_cast<std::size_t>(number)];
        if (survivors >= run->output.k && survivors <= cuts.capacity) continue;
        if (run->stop.stop_requested()) return run->stop.error();
        if (!run->counted_cut) {
            ArrayTaker arrays(run->context);
            exact.bins = arrays.take_zeroed<std::uint64_t>(kCutWords);
            exact.tickets = arrays.take_zeroed<std::uint32_t>(1);
            if (!arrays.done()) return arrays.done();
            run->counted_cut = true;
        }
        exact.states = cuts.states + number;
        const SelectState fresh{0, 0, 0, 0, ~std::uint64_t{0}};
        const TopkBatch one = run->batch(number, 1);
        done = workspace.write(exact.states, &fresh, sizeof fresh);
        if (done)
            done = run->pace.check(launch_exact_cut(one.in, exact, run->pieces(), run->config),
                                   "topk by counting");
        if (done) done = select(one);
        if (done) done = workspace.synchronize();  // nothing waits after this
        if (!done) return done;
    }
    return {};
}

}  // namespace tegu::cuda
