// SPDX-License-Identifier: Apache-2.0
// A stream, and a report of its jobs. Times of jobs are counted in quarters of an octave from 1 us.
#pragma once

#include <stdint.h>
#include <stdio.h>

enum { STREAMS = 3, TIMES = 80 };

struct stream {
    const char* name;
    uint8_t priority;      // TEGU_PRIORITY_*
    uint16_t operation;    // TEGU_REDUCE or TEGU_QUANTILE
    uint64_t burst;        // jobs of one period, at most 8
    uint64_t samples;      // of one job
    uint64_t period_ns;    // between two bursts
    uint64_t deadline_ns;  // from the samples to the result
};

struct report {
    uint64_t jobs, late, busy;  // busy: answers; their jobs were sent again
    uint64_t longest_ns;
    uint64_t times[TIMES];  // of jobs that had a result
};

void count_time(struct report* report, uint64_t ns);
void print_reports(FILE* out, const struct stream* streams, const struct report* reports);
// An SVG of the times. Returns an exit code: 0, or 73 if the file cannot be written.
int draw_reports(const char* path, const struct stream* streams, const struct report* reports);
