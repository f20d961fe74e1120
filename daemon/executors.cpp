// SPDX-License-Identifier: Apache-2.0
#include "daemon/executors.h"

namespace tegu::daemon {

Executors::Executors(const config::Settings& settings, unsigned threads, const std::function<void()>& wake)
    : cpu_(threads, settings.scheduler.quantum_us * 1000, wake),
      express_(std::make_unique<ExpressStation>(), settings.scheduler.quantum_us * 1000, wake, "tegud-express"),
      gpus_(settings, cpu_, wake) {}

void Executors::submit(std::shared_ptr<JobTask> task, Place place) {
    switch (place) {
        case Place::Inline: return express_.submit(std::move(task));
        case Place::Executor: return cpu_.submit(std::move(task));
        case Place::Gpu: return gpus_.submit(std::move(task));
    }
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
    std::vector<std::pair<std::string, ExecutorLoad>> loads{{"CPU", cpu_.load()}, {"CPU express", express_.load()}};
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
