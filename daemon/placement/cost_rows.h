// SPDX-License-Identifier: Apache-2.0
// CostRows: the measured times of tuning tables. Finds the row for a class of jobs and its time for a number
// of elements. Pure.
#pragma once

#include <vector>

#include "base/tuning_row.h"
#include "daemon/placement/cost_class.h"

namespace tegu::daemon {

class CostRows {
  public:
    CostRows() = default;
    // Takes the rows of `backend` for `threads`, the number of CPU threads of a job; ignored for a GPU. Skips
    // rows without usable points: at least one, ascending, with positive times. Skips unknown operations and
    // variants.
    CostRows(const std::vector<CostRow>& rows, TuningBackend backend, unsigned threads);

    bool empty() const { return count_ == 0; }
    std::size_t size() const { return count_; }
    // Number of measured rows; the others are modelled.
    std::size_t measured() const { return measured_; }
    // Time by the most specific row for the class, the first among equals; 0: no row covers it.
    double time_ns(const CostClass& job) const;

  private:
    struct Row {
        TuningClass jobs;
        unsigned variants = 0;             // if jobs.variant is not empty
        unsigned precision = 0;            // specificity of the row
        std::vector<double> elements, ns;  // log2 of both
        bool is_for(const tuning::JobClass& job) const;
        double time_ns(double elements) const;
    };
    static bool make(const CostRow& from, Row& row);

    std::vector<std::vector<Row>> rows_;  // by operation; the precise ones first
    std::size_t count_ = 0, measured_ = 0;
};

// Whether both give the same time for all jobs.
bool are_alike(const std::vector<CostRow>& a, const std::vector<CostRow>& b);

}  // namespace tegu::daemon
