// SPDX-License-Identifier: Apache-2.0
// CorrectionCurve: by how much an expected time is wrong, in octaves, as a function of that time. Each cell
// covers half an octave; one with few measurements leans on its neighbours and on a parent curve. One wild
// value moves a cell little, a lasting change moves it within some ten jobs. Pure.
#pragma once

#include <array>
#include <cstdint>

namespace tegu::daemon {

class CorrectionCurve {
  public:
    static constexpr double kMostOctaves = 10;     // a correction stays within 2^-10..2^10
    static constexpr double kFirstStep = 2;        // octaves that one of the first jobs of a cell may move it
    static constexpr std::uint16_t kTrusted = 16;  // jobs; more of them count as this many
    static constexpr unsigned kTrialsInARow = 3;   // of which the first one warms up
    static constexpr double kNewest = 0.125;       // the least weight of the newest job

    // What is believed where the curve knows nothing, and how many jobs that counts as beside what the curve
    // knows.
    struct Parent {
        double octaves = 0;
        double jobs = 1;
    };
    // The correction at an expected time.
    double at(double expected_ns, const Parent& parent) const;

    // A job that was expected to take `expected_ns` took 2^octaves times as long. `weight`: of the newest job
    // once many were seen, in parts of kNewest.
    void observe(double expected_ns, double octaves, const Parent& parent, double weight = 1);

    // Takes a time that was measured on purpose: it counts as two jobs, and is believed whatever it is.
    void seed(double expected_ns, double octaves);
    // Jobs take at least 2^octaves times as long, though this was not seen to the end: moves most of the way
    // there.
    void raise(double expected_ns, double octaves);
    // Jobs take at most 2^octaves times as long, though nobody saw how long: no more than that, and no
    // evidence.
    void lower(double expected_ns, double octaves, const Parent& parent);

    // Jobs that the cell at `expected_ns` has learnt from, up to kTrusted.
    unsigned seen(double expected_ns) const { return cells_[cell_of(expected_ns)].seen; }
    // Jobs of the cell that ran elsewhere since it learnt last.
    unsigned elsewhere(double expected_ns) const {
        const Cell& cell = cells_[cell_of(expected_ns)];
        return cell.again > 0 ? UINT16_MAX : cell.elsewhere;
    }
    void note_elsewhere(double expected_ns);
    // A trial of the cell was admitted, whether or not anything will be learnt from it. The others of its row
    // are due at once.
    void note_trial(double expected_ns);
    // A job ran, the first one after others like it ran elsewhere for a while. True: caches, clocks and code
    // were cold; it says nothing.
    bool warms_up(double expected_ns);
    bool empty() const { return observed_ == 0; }
    // True once, before anything was learnt: the first measurement may be that of a cold start.
    bool skip_first();

  private:
    static constexpr std::size_t kCells = 52;  // 1 us .. 67 s
    struct Cell {
        float mean = 0;
        float spread = 0;  // mean deviation
        std::uint16_t seen = 0;
        std::uint16_t elsewhere = 0;
        std::uint8_t again = 0;  // trials that are left of a row
        bool cold = false;       // the next result is that of the first of a row
    };
    static std::size_t cell_of(double expected_ns);
    double around(std::size_t cell, const Parent& parent) const;
    Cell& use(double expected_ns);

    std::array<Cell, kCells> cells_{};
    std::uint8_t first_ = kCells, last_ = 0;  // of the cells that have seen something
    std::uint32_t observed_ = 0;
    bool skipped_ = false;
};

}  // namespace tegu::daemon
