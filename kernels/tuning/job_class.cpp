// SPDX-License-Identifier: Apache-2.0
#include "kernels/tuning/job_class.h"

namespace tegu::tuning {
namespace {

unsigned skip_bit(bool skip_nans) {
    return skip_nans ? static_cast<unsigned>(kSkipNans) : 0u;
}

unsigned bits_in(std::uint32_t set) {
    return static_cast<unsigned>(__builtin_popcount(set));
}

// Fills in what the parameters of an operation say.
struct Describe {
    JobClass* to;

    void operator()(const ReduceParams& params) const {
        to->operation = Operation::Reduce;
        to->variants = skip_bit(params.skip_nans);
        to->detail = bits_in(params.statistics & ~statistic_bit(Statistic::Count));
    }
    void operator()(const TopkParams& params) const {
        to->operation = Operation::Topk;
        to->variants = params.distinct ? kDistinct : 0u;
        to->detail = params.k;
    }
    void operator()(const EntropyMapParams& params) const {
        to->operation = Operation::EntropyMap;
        to->variants = params.border == Border::Mirror ? kMirror : 0u;
        to->detail = std::uint64_t{params.window_rows} * params.window_cols;
        to->levels = params.levels;
    }
    void operator()(const AddParams&) const { to->operation = Operation::Add; }
    void operator()(const DotParams& params) const {
        to->operation = Operation::Dot;
        to->variants = skip_bit(params.skip_nans);
    }
    void operator()(const RowscaleParams& params) const {
        to->operation = Operation::Rowscale;
        to->variants = skip_bit(params.skip_nans);
    }
    void operator()(const QuantileParams& params) const {
        to->operation = Operation::Quantile;
        to->variants = skip_bit(params.skip_nans);
        to->detail = params.q.size();
    }
    void operator()(const HistogramParams& params) const {
        to->operation = Operation::Histogram;
        to->variants = skip_bit(params.skip_nans);
        to->detail = params.bins;
    }
    void operator()(const EntropyParams& params) const {
        to->operation = Operation::Entropy;
        to->variants = skip_bit(params.skip_nans);
        to->detail = params.levels;
    }
    void operator()(const FusedParams& params) const {
        to->operation = Operation::Fused;
        to->detail = params.parts.size();
    }
};

JobClass shape_of(const Job& job) {
    JobClass made;
    made.type = job.type;
    made.width = static_cast<unsigned>(element_bytes(job.type));
    const bool rows = job.axis == Axis::Rows;
    made.sequences = rows ? job.rows : 1;
    made.elements = rows ? job.cols : job.rows * job.cols;
    return made;
}

}  // namespace

JobClass class_of(const Job& job) {
    JobClass made = shape_of(job);
    std::visit(Describe{&made}, job.params);
    return made;
}

JobClass class_of(const Job& job, const FusedPart& part) {
    JobClass made = shape_of(job);
    std::visit(Describe{&made}, part);
    return made;
}

std::optional<unsigned> find_variant(std::string_view word) {
    if (word == "plain") return 0u;
    if (word == "distinct") return unsigned{kDistinct};
    if (word == "skip_nans") return unsigned{kSkipNans};
    if (word == "mirror") return unsigned{kMirror};
    return std::nullopt;
}

std::optional<ElementType> find_element_type(std::string_view word) {
    for (std::uint8_t number = 1; is_element_type(number); ++number)
        if (element_word(static_cast<ElementType>(number)) == word) return static_cast<ElementType>(number);
    return std::nullopt;
}

bool holds(const TuningClass& wanted, const JobClass& job) {
    const OperationInfo* const operation = find_operation(wanted.operation);
    if (operation == nullptr || operation->operation != job.operation) return false;
    if (wanted.width != 0 && wanted.width != job.width) return false;
    if (!wanted.type.empty() && element_word(job.type) != wanted.type) return false;
    if (!wanted.variant.empty() && find_variant(wanted.variant) != job.variants) return false;
    return wanted.sequences.contains(job.sequences) && wanted.elements.contains(job.elements) &&
           wanted.detail.contains(job.detail) && wanted.levels.contains(job.levels);
}

}  // namespace tegu::tuning
