// SPDX-License-Identifier: Apache-2.0
// CostRows: the measured times of tuning tables, ready for lookups: which row is for a class of jobs, and its
// time for so many elements. Pure.
#pragma once

#include <vector>

#include "base/tuning_row.h"
#include "daemon/placement/cost_class.h"

namespace tegu::daemon {

class CostRows {
  public:
    CostRows() = default;
    // The rows of `backend` that fit `threads`, which counts the threads of the CPU that a job may use and is
    // ignored for a GPU. Rows without usable points (one or more, ascending, with positive times) are left
    // out, and so are operations and variants that are not known.
    CostRows(const std::vector<CostRow>& rows, TuningBackend backend, unsigned threads);

    bool empty() const { return count_ == 0; }
    std::size_t size() const { return count_; }
    // Of these, how many were measured; the others are modelled.
    std::size_t measured() const { return measured_; }
    // By the row that says most about the class, the first of equals; 0: no row is for it.
    double time_ns(const CostClass& job) const;

  private:
    struct Row {
        TuningClass jobs;
        unsigned variants = 0;             // if jobs.variant is not empty
        unsigned precision = 0;            // how much the row says about its jobs
        std::vector<double> elements, ns;  // log2 of both
        bool is_for(const tuning::JobClass& job) const;
        double time_ns(double elements) const;
    };
    static bool make(const CostRow& from, Row& row);

    std::vector<std::vector<Row>> rows_;  // by operation; the precise ones first
    std::size_t count_ = 0, measured_ = 0;
};

// Whether both say the same of all jobs.
bool are_alike(const std::vector<CostRow>& a, const std::vector<CostRow>& b);

}  // namespace tegu::daemon
