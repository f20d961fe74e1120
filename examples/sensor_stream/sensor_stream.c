// SPDX-License-Identifier: Apache-2.0
// Three processes stream sensor data to one tegud: a control loop, eight telemetry channels and a logger.
// Each has its rate, priority and deadline; an answer BUSY is tried again after the daemon's hint.
//   usage: sensor_stream [SECONDS [PICTURE.svg]]
#define _POSIX_C_SOURCE 200809L
#include "sensor_stream.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <tegu.h>
#include <time.h>
#include <unistd.h>

enum { MAX_BURST = 8, MAX_SAMPLES = 1 << 18 };

static const struct stream streams[STREAMS] = {
    {"control", TEGU_PRIORITY_HIGH, TEGU_REDUCE, 1, 256, 2000000, 5000000},
    {"telemetry", TEGU_PRIORITY_NORMAL, TEGU_REDUCE, 8, 4096, 20000000, 20000000},
    {"logger", TEGU_PRIORITY_LOW, TEGU_QUANTILE, 4, MAX_SAMPLES, 100000000, 400000000},
};

static uint64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

static void sleep_ns(uint64_t ns) {
    const struct timespec time = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    nanosleep(&time, NULL);
}

static void stop_if(int failed, const char* name, const tegu_error* error) {
    if (!failed) return;
    fprintf(stderr, "%s: %s: %s\n", name, tegu_status_word(error->status), error->message);
    exit(tegu_status_exit_code(error->status));
}

// One request for each sensor of the stream; the samples of all lie one after another.
static void describe(const struct stream* stream, tegu_buffer* samples, tegu_request* requests) {
    static const double quantiles[3] = {0.05, 0.5, 0.95};
    for (uint64_t i = 0; i < stream->burst; ++i) {
        tegu_request_init(&requests[i], sizeof requests[i], stream->operation);
        requests[i].type = TEGU_F32;
        requests[i].cols = stream->samples;
        requests[i].inputs[0].buffer = samples;
        requests[i].inputs[0].offset_bytes = i * stream->samples * sizeof(float);
        requests[i].priority = stream->priority;
        if (stream->operation == TEGU_REDUCE) {
            requests[i].params.reduce.statistics = TEGU_STAT_MEAN | TEGU_STAT_STD | TEGU_STAT_ABSMAX;
        } else {
            requests[i].params.quantile.q = quantiles;
            requests[i].params.quantile.count = 3;
        }
    }
}

// Submits one job; its id goes to *id. The deadline counts from the time when the samples were taken.
static void submit(tegu_client* client, const struct stream* stream, tegu_request* request, uint64_t taken_at,
                   uint64_t* id) {
    tegu_error error;
    const uint64_t age = now_ns() - taken_at;
    request->deadline_ns = age < stream->deadline_ns ? stream->deadline_ns - age : 1;
    stop_if(tegu_submit(client, request, id, &error) != TEGU_OK, stream->name, &error);
}

// One job for each sensor, all in flight at once; returns when each has a result or has missed its deadline.
static void run_burst(tegu_client* client, const struct stream* stream, tegu_request* requests,
                      struct report* report) {
    uint64_t ids[MAX_BURST];
    const uint64_t taken_at = now_ns();
    for (uint64_t i = 0; i < stream->burst; ++i) submit(client, stream, &requests[i], taken_at, &ids[i]);
    report->jobs += stream->burst;
    for (uint64_t pending = stream->burst; pending > 0;) {
        tegu_result* result;
        tegu_error error;
        uint64_t done, which = 0;
        const tegu_status status = tegu_wait(client, 0, -1, &result, &done, &error);
        if (status == TEGU_BUSY) {
            ++report->busy;
            while (ids[which] != done) ++which;
            sleep_ns(error.retry_after_ns);
            submit(client, stream, &requests[which], taken_at, &ids[which]);
            continue;
        }
        --pending;
        stop_if(status != TEGU_OK && status != TEGU_DEADLINE_EXCEEDED, stream->name, &error);
        const uint64_t time_ns = now_ns() - taken_at;
        if (status == TEGU_OK) count_time(report, time_ns);
        if (status != TEGU_OK || time_ns > stream->deadline_ns) ++report->late;
        tegu_result_free(result);
    }
}

static struct report run_stream(const struct stream* stream, double seconds) {
    struct report report = {0};
    tegu_options options;
    tegu_client* client;
    tegu_buffer* samples;
    tegu_request requests[MAX_BURST];
    tegu_error error;
    tegu_options_init(&options, sizeof options);
    options.busy_retry = 0;  // the deadline decides here, not the library
    options.name = stream->name;
    stop_if(tegu_connect(&options, &client, &error) != TEGU_OK, stream->name, &error);
    const uint64_t count = stream->burst * stream->samples;
    stop_if(tegu_buffer_create(client, count * sizeof(float), &samples, &error) != TEGU_OK, stream->name,
            &error);
    describe(stream, samples, requests);
    float* values = tegu_buffer_data(samples);
    for (uint64_t i = 0; i < count; ++i) values[i] = sinf((float)i * 0.01f);  // a sensor would write here
    const uint64_t begin = now_ns(), end = begin + (uint64_t)(seconds * 1e9);
    for (uint64_t next = begin; next < end; next += stream->period_ns) {
        if (next > now_ns()) sleep_ns(next - now_ns());
        values[0] = (float)(next - begin) * 1e-9f;
        tegu_buffer_commit(samples);
        run_burst(client, stream, requests, &report);
    }
    tegu_buffer_free(samples);
    tegu_close(client);
    return report;
}

int main(int argc, char** argv) {
    const double seconds = argc > 1 ? atof(argv[1]) : 2;
    struct report reports[STREAMS];
    int pipes[STREAMS][2], failed = 0;
    for (int i = 0; i < STREAMS; ++i) {
        if (pipe(pipes[i]) != 0) return 71;
        const pid_t child = fork();
        if (child < 0) return 71;
        if (child > 0) continue;
        const struct report report = run_stream(&streams[i], seconds);
        return write(pipes[i][1], &report, sizeof report) == (ssize_t)sizeof report ? 0 : 74;
    }
    for (int status; wait(&status) > 0;) failed |= status;
    if (failed) return 1;
    for (int i = 0; i < STREAMS; ++i)
        if (read(pipes[i][0], &reports[i], sizeof reports[i]) != (ssize_t)sizeof reports[i]) return 74;
    print_reports(stdout, streams, reports);
    return argc > 2 ? draw_reports(argv[2], streams, reports) : 0;
}
