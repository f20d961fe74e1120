// SPDX-License-Identifier: Apache-2.0
// The table and the picture of sensor_stream.
#include "sensor_stream.h"

#include <math.h>

enum { WIDTH = 720, BAND = 90, LEFT = 80, TOP = 30, BAR = 8 };

// The lower edge of a class of times, in microseconds.
static double lower_edge_us(int index) {
    return pow(2, index / 4.0);
}

void count_time(struct report* report, uint64_t ns) {
    int index = 0;
    while (index + 1 < TIMES && (double)ns / 1000 >= lower_edge_us(index + 1)) ++index;
    ++report->times[index];
    if (ns > report->longest_ns) report->longest_ns = ns;
}

// The time that the given share of the jobs kept to, rounded up to the edge of its class.
static double share_us(const struct report* report, double share) {
    uint64_t all = 0, below = 0;
    for (int i = 0; i < TIMES; ++i) all += report->times[i];
    for (int i = 0; i < TIMES; ++i) {
        below += report->times[i];
        if (all > 0 && (double)below >= share * (double)all)
            return fmin(lower_edge_us(i + 1), (double)report->longest_ns / 1000);
    }
    return 0;
}

void print_reports(FILE* out, const struct stream* streams, const struct report* reports) {
    fprintf(out, "%-10s %8s %8s %8s %10s %10s %10s\n", "stream", "jobs", "late", "busy", "p50 us", "p99 us",
            "max us");
    for (int i = 0; i < STREAMS; ++i)
        fprintf(out, "%-10s %8llu %8llu %8llu %10.0f %10.0f %10.0f\n", streams[i].name,
                (unsigned long long)reports[i].jobs, (unsigned long long)reports[i].late,
                (unsigned long long)reports[i].busy, share_us(&reports[i], 0.5), share_us(&reports[i], 0.99),
                (double)reports[i].longest_ns / 1000);
}

static void draw_band(FILE* out, int top, const struct stream* stream, const struct report* report) {
    uint64_t most = 1;
    for (int i = 0; i < TIMES; ++i)
        if (report->times[i] > most) most = report->times[i];
    fprintf(out, "<text x='4' y='%d'>%s</text>\n", top + BAND - 8, stream->name);
    for (int i = 0; i < TIMES; ++i) {
        const double height = (BAND - 20) * (double)report->times[i] / (double)most;
        if (report->times[i] > 0)
            fprintf(out, "<rect x='%d' y='%.1f' width='%d' height='%.1f' fill='#2a7f9e'/>\n", LEFT + i * BAR,
                    top + BAND - height, BAR - 1, height);
    }
    const double deadline = LEFT + BAR * 4 * log2((double)stream->deadline_ns / 1000);
    fprintf(out, "<path d='M%.1f %d v%d' stroke='#c0392b' stroke-width='2'/>\n", deadline, top + 10,
            BAND - 10);
    fprintf(out, "<path d='M%d %d H%d' stroke='#888'/>\n", LEFT, top + BAND, LEFT + TIMES * BAR);
}

int draw_reports(const char* path, const struct stream* streams, const struct report* reports) {
    FILE* out = fopen(path, "w");
    if (out == NULL) return perror(path), 73;
    const int height = TOP + STREAMS * BAND + 30;
    fprintf(out,
            "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 %d %d' font-family='sans-serif' "
            "font-size='13'>\n<rect width='100%%' height='100%%' fill='#fff'/>\n"
            "<text x='%d' y='18'>time from the samples to the result; red: the deadline</text>\n",
            WIDTH, height, LEFT);
    for (int i = 0; i < STREAMS; ++i) draw_band(out, TOP + i * BAND, &streams[i], &reports[i]);
    for (int decade = 0; decade < 6; ++decade) {
        static const char* const words[] = {"1 us", "10 us", "100 us", "1 ms", "10 ms", "100 ms"};
        fprintf(out, "<text x='%.0f' y='%d'>%s</text>\n", LEFT + BAR * 4 * log2(pow(10, decade)), height - 10,
                words[decade]);
    }
    fprintf(out, "</svg>\n");
    return fclose(out) == 0 ? 0 : 73;
}
