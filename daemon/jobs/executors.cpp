// SPDX-License-Identifier: Apache-2.0
#include "daemon/jobs/executors.h"

namespace tegu::daemon {

Executors::Executors(const config::Settings& settings, unsigned threads, const std::function<void()>& wake)
    : Executors(settings, std::make_unique<CpuBackend>(threads), wake) {}

Executors::Executors(const config::Settings& settings, std::unique_ptr<CpuBackend> backend,
                     const std::function<void()>& wake)
    : cpu_backend_(backend.get()),
      cpu_(std::move(backend), settings.scheduler.quantum_us * 1000, wake),
      express_(std::make_unique<ExpressBackend>(), settings.scheduler.quantum_us * 1000, wake,
               "tegud-express"),
      gpus_(settings, cpu_, wake) {}

// A job that took too long inline returns with another choice.
void Executors::submit(std::shared_ptr<JobTask> task) {
    switch (task->choice.target) {
        case Target::Inline:
        case Target::Express: return express_.submit(std::move(task));
        case Target::Pool: return cpu_.submit(std::move(task));
        case Target::Gpu: return gpus_.submit(std::move(task));
    }
}

void Executors::post_to_cpu(std::function<void(CpuBackend&)> work, std::function<void()> done) {
    cpu_.post([work = std::move(work), backend = cpu_backend_] { work(*backend); }, std::move(done));
}

void Executors::run_done_control_tasks() {
    (void)cpu_.run_done_control_tasks();
    gpus_.run_done_control_tasks();
}

bool Executors::remove(const JobTask& task) {
    return gpus_.remove(task) || cpu_.remove(task) || express_.remove(task);
}

TaskList Executors::take_done() {
    TaskList done = cpu_.take_done();
    done.splice(done.end(), express_.take_done());
    gpus_.take_done(done);
    return done;
}

ExecutorLoad Executors::load() const {
    ExecutorLoad load = cpu_.load();
    load += express_.load();
    return load += gpus_.load();
}

std::vector<std::pair<std::string, ExecutorLoad>> Executors::loads() const {
    std::vector<std::pair<std::string, ExecutorLoad>> loads{{"CPU", cpu_.load()},
                                                            {"CPU express", express_.load()}};
    for (const std::shared_ptr<GpuExecutor>& gpu : gpus_.all())
        loads.emplace_back("GPU " + std::to_string(gpu->device().ordinal), gpu->executor().load());
    return loads;
}

std::optional<Error> Executors::failure() const {
    std::optional<Error> failure = cpu_.failure();
    return failure ? failure : express_.failure();
}

void Executors::set_quantum(std::uint64_t quantum_ns) {
    cpu_.set_quantum(quantum_ns);
    express_.set_quantum(quantum_ns);
    gpus_.set_quantum(quantum_ns);
}

std::vector<Watchdog::Part> Executors::watched() {
    std::vector<Watchdog::Part> parts{{"the executor of the CPU", &cpu_, false},
                                      {"the express lane of the CPU", &express_, false}};
    for (const std::shared_ptr<GpuExecutor>& gpu : gpus_.all())
        parts.push_back({"GPU " + std::to_string(gpu->device().ordinal), &gpu->executor(), true});
    return parts;
}

}  // namespace tegu::daemon
