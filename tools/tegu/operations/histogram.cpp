// SPDX-License-Identifier: Apache-2.0
// tegu histogram: counts the elements of an array, or of each row, in equal bins. Text output has bars;
// neighbouring bins share a line if they exceed the screen. --json and the file of -o have all counts and
// edges.
#include <algorithm>

#include "tools/tegu/operation.h"
#include "tools/tegu/output/bars.h"
#include "tools/tegu/output/terminal.h"
#include "tools/tegu/output/text.h"
#include "tools/tegu/output/words.h"

namespace tegu {
namespace cli {
namespace {

constexpr std::uint64_t kLines = 32;    // of the bars of one histogram
constexpr std::uint64_t kColumns = 64;  // of the small columns of a row
constexpr std::size_t kBarWidth = 50;

std::uint64_t sum_of(const std::vector<std::uint64_t>& counts) {
    std::uint64_t sum = 0;
    for (const std::uint64_t count : counts) sum += count;
    return sum;
}

std::string bars_of(const client::Array& counts, const client::Array& edges) {
    const bool blocks = stdout_has_blocks();
    const std::vector<std::uint64_t> lines = merged(counts.as<std::uint64_t>(), counts.cols, kLines);
    const std::uint64_t group = group_size(counts.cols, kLines);
    const std::uint64_t max_count = std::max<std::uint64_t>(*std::max_element(lines.begin(), lines.end()), 1);
    Table table("rrrl");
    table.heading({"from", "to", "count", ""});
    for (std::uint64_t i = 0; i < lines.size(); ++i) {
        const std::uint64_t end = std::min((i + 1) * group, counts.cols);
        table.row(
            {short_text(edges.number(i * group)), short_text(edges.number(end)), std::to_string(lines[i]),
             bar_text(static_cast<double>(lines[i]) / static_cast<double>(max_count), kBarWidth, blocks)});
    }
    const std::string merging = group == 1 ? "" : ", " + std::to_string(group) + " in each line";
    return table.text(stdout_has_colour()) + "  " + std::to_string(sum_of(lines)) + " elements in " +
           std::to_string(counts.cols) + (counts.cols == 1 ? " bin" : " bins") + merging + "\n";
}

std::string sparks_of(const client::Array& counts, const client::Array& edges) {
    const bool blocks = stdout_has_blocks();
    Table table("rrrrl");
    table.heading({"row", "from", "to", "count", ""});
    for (std::uint64_t r = 0; r < counts.rows; ++r) {
        const std::vector<std::uint64_t> row =
            merged(counts.as<std::uint64_t>() + r * counts.cols, counts.cols, kColumns);
        table.row({std::to_string(r), short_text(edges.number(r * edges.cols)),
                   short_text(edges.number(r * edges.cols + edges.cols - 1)), std::to_string(sum_of(row)),
                   spark_text(row, blocks)});
    }
    return table.text(stdout_has_colour());
}

class Histogram : public Part {
  public:
    explicit Histogram(const JobOptions& job) : Part(job) {}
    std::uint16_t number() const override { return TEGU_HISTOGRAM; }
    bool wanted() const override { return bins_ != kNotGiven; }

    void add_options(CommandLine& line, bool alone) override {
        if (alone) bins_ = HistogramParams{}.bins;
        line.count("--bins", bins_,
                   "Bins of equal width, " + range_text(&HistogramParams::bins) +
                       "; the last holds its upper edge" + (alone ? " [" + std::to_string(bins_) + "]" : ""),
                   0, UINT32_MAX, range_text(&HistogramParams::bins));
    }

    Expected<void> fill(tegu_params& params) override {
        params.histogram.bins = static_cast<std::uint32_t>(bins_);
        params.histogram.skip_nans = job_.skip_nans ? 1 : 0;
        return fill_range(job_.range, params.histogram);
    }

    std::vector<std::uint8_t> roles() const override { return {TEGU_ROLE_HISTOGRAM, TEGU_ROLE_EDGES}; }

    std::string human(const Finished& job) const override {
        const client::Array counts = job.array(TEGU_ROLE_HISTOGRAM), edges = job.array(TEGU_ROLE_EDGES);
        return job_.by_rows() ? sparks_of(counts, edges) : bars_of(counts, edges);
    }

    void json(Json& json, const Finished& job) const override {
        for (const std::uint8_t role : roles()) {
            json.key(tegu_role_word(role));
            add_elements(json, job.array(role), job_.by_rows());
        }
    }

  private:
    std::uint64_t bins_ = kNotGiven;
};

Action setup_histogram(CommandLine& line) {
    PartWords words;
    words.nans = "Leave NaN elements out; without it, and without --range, one is an error";
    words.range =
        "Lower edge of the first bin and upper edge of the last; elements outside count nowhere [min and max "
        "of the "
        "elements]";
    return setup_part(line, histogram_command(), words);
}

}  // namespace

Command histogram_command() {
    return {"histogram", "Counts of equal bins", "tegu histogram --bins 64 --range 0,256 photo.png",
            setup_histogram, make_part<Histogram>};
}

}  // namespace cli
}  // namespace tegu
