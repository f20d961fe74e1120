// SPDX-License-Identifier: Apache-2.0
#include "daemon/placement/correction_curve.h"

#include <algorithm>
#include <cmath>

namespace tegu::daemon {
namespace {

constexpr double kMinLog2 = 10;  // of ns: the first cell
constexpr double kCellsAnOctave = 2;
constexpr double kAroundJobs = 0.5;  // weight of neighbours and parent, in jobs of the cell itself
constexpr double kFirstSpread = 0.25;
constexpr double kMinSpread = 0.06;  // octaves: times of one job vary by about 4 %
constexpr double kClip = 2;          // spreads
constexpr double kStaleJobs = 1000;  // on other targets, after which a cell's evidence counts half
constexpr double kRaise = 0.75, kRaisedSpread = 1;
constexpr std::uint16_t kLongElsewhere = 8;  // jobs
constexpr std::uint16_t kSettled = 4;        // jobs after which a wild measurement is clipped by the spread

}  // namespace

std::size_t CorrectionCurve::cell_of(double expected_ns) {
    const double position = (std::log2(std::max(expected_ns, 1.0)) - kMinLog2) * kCellsAnOctave;
    return static_cast<std::size_t>(std::clamp(position, 0.0, static_cast<double>(kCells - 1)));
}

// Weighted mean of the neighbours, near ones most, and the parent.
double CorrectionCurve::around(std::size_t cell, const Parent& parent) const {
    double sum = parent.jobs * parent.octaves, weights = parent.jobs;
    for (std::size_t i = first_; i <= last_; ++i) {
        if (i == cell || cells_[i].seen == 0) continue;
        const double octaves = (static_cast<double>(i) - static_cast<double>(cell)) / kCellsAnOctave;
        const double weight = cells_[i].seen / (1 + octaves * octaves);
        sum += weight * static_cast<double>(cells_[i].mean);
        weights += weight;
    }
    return sum / weights;
}

double CorrectionCurve::at(double expected_ns, const Parent& parent) const {
    if (observed_ == 0) return parent.octaves;
    const std::size_t cell = cell_of(expected_ns);
    // Old measurements count less than newer ones of neighbours.
    const double jobs = cells_[cell].seen / (1 + cells_[cell].elsewhere / kStaleJobs);
    return (jobs * static_cast<double>(cells_[cell].mean) + kAroundJobs * around(cell, parent)) /
           (jobs + kAroundJobs);
}

CorrectionCurve::Cell& CorrectionCurve::use(double expected_ns) {
    const std::size_t cell = cell_of(expected_ns);
    first_ = static_cast<std::uint8_t>(std::min<std::size_t>(first_, cell));
    last_ = static_cast<std::uint8_t>(std::max<std::size_t>(last_, cell));
    ++observed_;
    return cells_[cell];
}

void CorrectionCurve::observe(double expected_ns, double octaves, const Parent& parent, double weight) {
    const double before = at(expected_ns, parent);
    Cell& cell = use(expected_ns);
    const double spread = cell.seen == 0 ? kFirstSpread : static_cast<double>(cell.spread);
    const double max =
        cell.seen < kSettled ? kFirstStep : std::min(kFirstStep, kClip * std::max(spread, kMinSpread));
    // The first measurement is relative to the prior; later ones are relative to the mean.
    const double old = cell.seen == 0 ? before : static_cast<double>(cell.mean);
    const double moved = std::clamp(octaves - old, -max, max);
    const double share = std::max(weight * kNewest, 1.0 / (cell.seen + 1.0));
    cell.mean = static_cast<float>(std::clamp(old + share * moved, -kMaxOctaves, kMaxOctaves));
    // The spread may grow beyond the clip, so that a lasting change gets through in the end.
    const double deviation = std::min(std::abs(octaves - old), 2 * max);
    cell.spread = static_cast<float>(spread + kNewest * (deviation - spread));
    if (cell.seen < kTrusted) ++cell.seen;
    cell.elsewhere = 0;
}

void CorrectionCurve::seed(double expected_ns, double octaves) {
    Cell& cell = use(expected_ns);
    const double bounded = std::clamp(octaves, -kMaxOctaves, kMaxOctaves);
    const double before = cell.seen == 0 ? bounded : static_cast<double>(cell.mean);
    cell.mean = static_cast<float>((before + bounded) / 2);
    cell.spread = static_cast<float>(kFirstSpread);
    cell.seen = std::max<std::uint16_t>(cell.seen, 2);
    cell.elsewhere = 0;
}

void CorrectionCurve::raise(double expected_ns, double octaves) {
    Cell& cell = use(expected_ns);
    const double min = std::min(octaves, kMaxOctaves);
    if (cell.seen > 0 && static_cast<double>(cell.mean) >= min) return;
    const double before = cell.seen == 0 ? 0 : static_cast<double>(cell.mean);
    cell.mean = static_cast<float>(before + kRaise * (min - before));
    // A large spread, so that a few fast jobs revert it.
    cell.spread = std::max(cell.spread, static_cast<float>(kRaisedSpread));
    cell.seen = std::clamp<std::uint16_t>(cell.seen, 1, kSettled - 1);
}

void CorrectionCurve::lower(double expected_ns, double octaves, const Parent& parent) {
    if (at(expected_ns, parent) <= octaves) return;
    Cell& cell = use(expected_ns);
    cell.seen = 2;
    cell.spread = static_cast<float>(kFirstSpread);
    cell.elsewhere = 0;
    // So far below the bound that neighbours and parent do not lift it above.
    const double above = std::max(around(cell_of(expected_ns), parent) - octaves, 0.0);
    cell.mean = static_cast<float>(std::max(octaves - above * kAroundJobs / cell.seen, -kMaxOctaves));
}

void CorrectionCurve::note_elsewhere(double expected_ns) {
    Cell& cell = cells_[cell_of(expected_ns)];
    if (cell.elsewhere < UINT16_MAX) ++cell.elsewhere;
}

void CorrectionCurve::note_trial(double expected_ns) {
    Cell& cell = cells_[cell_of(expected_ns)];
    if (cell.again > 0) {
        --cell.again;
        return;
    }
    cell.again = kTrialsInARow - 1;
    cell.cold = true;
    cell.elsewhere = 0;
}

bool CorrectionCurve::warms_up(double expected_ns) {
    Cell& cell = cells_[cell_of(expected_ns)];
    if (!cell.cold && cell.elsewhere < kLongElsewhere) return false;
    cell.cold = false;
    cell.elsewhere = 0;
    return true;
}

bool CorrectionCurve::skip_first() {
    if (observed_ > 0 || skipped_) return false;
    skipped_ = true;
    return true;
}

}  // namespace tegu::daemon
