// SPDX-License-Identifier: Apache-2.0
#include "tools/field/first_result.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/fd.h"
#include "client/tegu.hpp"
#include "kernels/operation.h"
#include "tools/field/gpu_lab.h"

extern char** environ;

namespace tegu::field {
namespace {

using SteadyClock = std::chrono::steady_clock;

double since(SteadyClock::time_point began) {
    return std::chrono::duration<double>(SteadyClock::now() - began).count();
}

Job sum_job() {
    Job job;
    job.cols = kFirstResultElements;
    ReduceParams params;
    params.statistics = statistic_bit(Statistic::Sum);
    job.params = params;
    return job;
}

Result<double> sum_on_cpu(const std::vector<float>& values) {
    double sum = 0;
    const kernels::InputView input{reinterpret_cast<const std::byte*>(values.data()), values.size()};
    const kernels::OutputView output{reinterpret_cast<std::byte*>(&sum)};
    const Result<kernels::RunReport> done =
        kernels::run_job(sum_job(), {&input, 1}, {&output, 1}, nullptr, kernels::StopToken());
    if (!done) return done.error();
    return sum;
}

Result<double> sum_on_gpu(const std::vector<float>& values, double* context_s) {
    const SteadyClock::time_point began = SteadyClock::now();
    const device::DeviceList list = device::probe_devices();
    const Result<device::DeviceInfo> device = device::choose_device(list, device::DeviceWish());
    if (!device) return device.error();
    Result<std::unique_ptr<GpuLab>> lab = GpuLab::open(*device);
    if (!lab) return std::move(lab).error();
    *context_s = since(began);
    Result<DeviceArray> input = DeviceArray::create(**lab, values.size() * sizeof(float));
    if (!input) return std::move(input).error();
    Result<DeviceArray> output = DeviceArray::create(**lab, sizeof(double));
    if (!output) return std::move(output).error();
    Result<void> done = input->upload(values.data(), values.size() * sizeof(float));
    if (!done) return std::move(done).error();
    const kernels::InputView in{input->as<std::byte>(), values.size()};
    const kernels::OutputView out{output->as<std::byte>()};
    const Result<kernels::RunReport> ran =
        (*lab)->gpu().run({sum_job(), {}, {&in, 1}, {&out, 1}, kernels::StopToken()}, (*lab)->stream());
    if (!ran) return ran.error();
    double sum = 0;
    done = output->download(&sum, sizeof sum);
    if (!done) return std::move(done).error();
    return sum;
}

Result<double> sum_of_daemon(const std::vector<float>& values, const char* socket, int backend) {
    client::Options options;
    options.socket_path = socket;
    client::Expected<client::Client> client = client::Client::connect(options);
    if (!client) return make_error(Status::Unavailable, client.error().message);
    client::Request request = client::Request::reduce(values.data(), values.size(), TEGU_STAT_SUM);
    request.backend = static_cast<std::uint8_t>(backend);
    const client::Expected<client::Result> result = client->run(request);
    if (!result) return make_error(Status::Unavailable, result.error().message);
    return result->number(static_cast<std::uint8_t>(role_of(Statistic::Sum))).value_or(0);
}

Result<double> sum_by(int argc, const char* const* argv, double* context_s) {
    const std::vector<float> values(kFirstResultElements, 0.5f);
    const std::string how = argc > 1 ? argv[1] : "";
    if (how == "cpu" && argc == 2) return sum_on_cpu(values);
    if (how == "gpu" && argc == 2) return sum_on_gpu(values, context_s);
    if (how == "daemon-cpu" && argc == 3) return sum_of_daemon(values, argv[2], TEGU_BACKEND_CPU);
    if (how == "daemon-gpu" && argc == 3) return sum_of_daemon(values, argv[2], TEGU_BACKEND_GPU);
    return make_error(Status::BadRequest,
                      "first-result takes cpu, gpu, daemon-cpu SOCKET or daemon-gpu SOCKET");
}

Result<std::string> first_line(int fd) {
    std::string line;
    char text[256];
    while (line.find('\n') == std::string::npos) {
        const ssize_t got = read(fd, text, sizeof text);
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return io_error("read of a new process", errno);
        if (got == 0) break;
        line.append(text, static_cast<std::size_t>(got));
    }
    return line;
}

Result<pid_t> spawn(const std::string& program, const std::vector<std::string>& how, int output) {
    std::vector<std::string> words = {program, "first-result"};
    words.insert(words.end(), how.begin(), how.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(&word[0]);
    argv.push_back(nullptr);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO);
    pid_t pid = -1;
    const int code = posix_spawn(&pid, program.c_str(), &actions, nullptr, argv.data(), environ);
    posix_spawn_file_actions_destroy(&actions);
    if (code != 0) return io_error("start " + program, code);
    return pid;
}

}  // namespace

Result<FirstResultTimes> start_first_result(const std::string& program, const std::vector<std::string>& how) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return io_error("pipe", errno);
    const Fd in(ends[0]);
    Fd out(ends[1]);
    const SteadyClock::time_point began = SteadyClock::now();
    const Result<pid_t> pid = spawn(program, how, out.get());
    out.reset();
    if (!pid) return pid.error();
    const Result<std::string> line = first_line(in.get());
    FirstResultTimes times;
    times.whole_s = since(began);
    int status = 0;
    while (waitpid(*pid, &status, 0) < 0 && errno == EINTR) continue;
    if (!line) return line.error();
    double sum = 0;
    if (std::sscanf(line->c_str(), "first-result %lf %lf", &sum, &times.context_s) != 2)
        return make_error(Status::Unavailable, "a new process failed: " + line->substr(0, line->find('\n')));
    if (sum != 0.5 * static_cast<double>(kFirstResultElements))
        return make_error(Status::Internal, "the sum of a new process is wrong");
    return times;
}

int first_result_command(int argc, const char* const* argv) {
    double context_s = 0;
    const Result<double> sum = sum_by(argc, argv, &context_s);
    if (!sum) {
        std::printf("%s\n", sum.error().message.c_str());
        return status_info(sum.error().status).exit_code;
    }
    std::printf("first-result %.17g %.17g\n", *sum, context_s);
    std::fflush(stdout);
    return 0;
}

}  // namespace tegu::field
