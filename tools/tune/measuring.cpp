// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/measuring.h"

#include "tools/tune/measure/interrupts.h"
#include "tools/tune/tables.h"

namespace tegu::tune {

Result<std::unique_ptr<Measuring>> Measuring::open(const MeasureOptions& options, Reporter& reporter) {
    std::unique_ptr<Measuring> made(new Measuring());
    Result<std::unique_ptr<Machine>> machine = Machine::open(options.machine);
    if (!machine) return std::move(machine).error();
    made->machine_ = std::move(*machine);
    if (!made->machine_->no_gpu().empty()) reporter.note("no GPU is measured: " + made->machine_->no_gpu());
    std::unique_ptr<board::BoardWatch> watch = made->machine_->take_watch();
    made->watch_ = watch.get();
    made->pace_ = std::make_unique<BoardPace>(
        std::move(watch), [&reporter](const std::string& line) { reporter.note(line); }, interrupts(),
        options.patience_seconds);
    made->tegud_ = std::make_unique<TegudWatch>(TegudWatch::open(options.socket, options.machine.sysroot));
    if (made->tegud_->is_there()) reporter.note(made->tegud_->warning());
    made->known_ = tables_in_force(made->machine_->facts(), tuning_places(options.settings), false);
    made->tie();
    return made;
}

void Measuring::tie() {
    session_.pool = &machine_->pool();
    session_.benches = machine_->benches();
    session_.facts = machine_->facts();
    session_.known = &known_;
    session_.evidence = machine_->evidence();
    session_.clock_mhz = [this](TuningBackend backend) {
        const board::BoardState state = watch_->now();
        const std::optional<double> mhz =
            backend == TuningBackend::Cuda ? state.gpu_clock_mhz : state.cpu_clock_mhz;
        return static_cast<unsigned>(mhz.value_or(0) + 0.5);
    };
    session_.foreign_jobs = [this] { return tegud_->jobs_since(); };
    session_.host_bytes = machine_->spare_host_bytes();
}

}  // namespace tegu::tune
