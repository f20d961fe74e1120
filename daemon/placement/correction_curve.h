// SPDX-License-Identifier: Apache-2.0
// CorrectionCurve: log2 of measured to expected time, as a function of the expected time. Each cell covers
// half an octave; a cell with few measurements uses its neighbours and a parent curve. An outlier moves a
// cell little; a lasting change moves it within some ten jobs. Pure.
#pragma once

#include <array>
#include <cstdint>

namespace tegu::daemon {

class CorrectionCurve {
  public:
    static constexpr double kMaxOctaves = 10;      // a correction stays within 2^-10..2^10
    static constexpr double kFirstStep = 2;        // maximum octaves that one of a cell's first jobs moves it
    static constexpr std::uint16_t kTrusted = 16;  // jobs; a higher count is clamped
    static constexpr unsigned kTrialsInARow = 3;   // the first one is a warm-up
    static constexpr double kNewest = 0.125;       // minimum weight of the newest job

    // The prior of a cell without data, and its weight in jobs beside the curve's data.
    struct Parent {
        double octaves = 0;
        double jobs = 1;
    };
    // The correction, in octaves, at an expected time.
    double at(double expected_ns, const Parent& parent) const;

    // Records a job with `expected_ns` that took 2^octaves times as long. `weight`: of this job once many
    // were seen, in units of kNewest.
    void observe(double expected_ns, double octaves, const Parent& parent, double weight = 1);

    // Records a deliberate measurement: it counts as two jobs and is not limited.
    void seed(double expected_ns, double octaves);
    // Records a lower bound from an aborted job: jobs take at least 2^octaves times as long. Moves most of
    // the way to the bound.
    void raise(double expected_ns, double octaves);
    // Records an upper bound without a measurement: jobs take at most 2^octaves times as long. The cell then
    // counts as two jobs.
    void lower(double expected_ns, double octaves, const Parent& parent);

    // Number of jobs that the cell at `expected_ns` has learnt from, up to kTrusted.
    unsigned seen(double expected_ns) const { return cells_[cell_of(expected_ns)].seen; }
    // Number of jobs of the cell that ran elsewhere since its last measurement.
    unsigned elsewhere(double expected_ns) const {
        const Cell& cell = cells_[cell_of(expected_ns)];
        return cell.again > 0 ? UINT16_MAX : cell.elsewhere;
    }
    void note_elsewhere(double expected_ns);
    // Records an admitted trial of the cell, with or without a later measurement. The next trials of its
    // series are due at once.
    void note_trial(double expected_ns);
    // Records a run. True if it is a warm-up: the first one after similar jobs ran elsewhere. Caches, clocks
    // and code were cold, so its time is ignored.
    bool warms_up(double expected_ns);
    bool empty() const { return observed_ == 0; }
    // True once, before any measurement: the first one may include a cold start.
    bool skip_first();

  private:
    static constexpr std::size_t kCells = 52;  // 1 us .. 67 s
    struct Cell {
        float mean = 0;
        float spread = 0;  // mean deviation
        std::uint16_t seen = 0;
        std::uint16_t elsewhere = 0;
        std::uint8_t again = 0;  // remaining trials of a series
        bool cold = false;       // the next result is the first of a series
    };
    static std::size_t cell_of(double expected_ns);
    double around(std::size_t cell, const Parent& parent) const;
    Cell& use(double expected_ns);

    std::array<Cell, kCells> cells_{};
    std::uint8_t first_ = kCells, last_ = 0;  // range of cells with data
    std::uint32_t observed_ = 0;
    bool skipped_ = false;
};

}  // namespace tegu::daemon
