// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/tegud/client_job.h"

namespace tegu::tune {
namespace {

std::uint8_t flag(bool value) {
    return value ? 1 : 0;
}

template <class Range, class Params>
void set_range(const Range& from, Params& to) {
    to.has_range = flag(from.has_range);
    to.lo = from.lo;
    to.hi = from.hi;
}

// Those that a fused job may have.
struct MakePart {
    client::Part operator()(const ReduceParams& params) const {
        client::Part part = client::Part::reduce(params.statistics);
        part.params.reduce.ddof = params.ddof;
        part.params.reduce.skip_nans = flag(params.skip_nans);
        return part;
    }
    client::Part operator()(const TopkParams& params) const {
        return client::Part::topk(params.k, params.largest, params.distinct);
    }
    client::Part operator()(const QuantileParams& params) const {
        client::Part part =
            client::Part::quantile(params.q.data(), static_cast<std::uint32_t>(params.q.size()),
                                   static_cast<std::uint8_t>(params.method));
        part.params.quantile.skip_nans = flag(params.skip_nans);
        return part;
    }
    client::Part operator()(const HistogramParams& params) const {
        client::Part part = client::Part::histogram(params.bins);
        set_range(params, part.params.histogram);
        part.params.histogram.skip_nans = flag(params.skip_nans);
        return part;
    }
    client::Part operator()(const EntropyParams& params) const {
        client::Part part = client::Part::entropy(params.levels);
        set_range(params, part.params.entropy);
        part.params.entropy.base = static_cast<std::uint8_t>(params.base);
        part.params.entropy.skip_nans = flag(params.skip_nans);
        return part;
    }
};

struct MakeRequest {
    template <class Params>
    client::Request operator()(const Params& params) const {
        return client::Request(MakePart()(params));
    }
    client::Request operator()(const EntropyMapParams& params) const {
        client::Request request =
            client::Request::entropy_map(params.window_rows, params.window_cols, params.levels);
        set_range(params, request.params.entropy_map);
        request.params.entropy_map.base = static_cast<std::uint8_t>(params.base);
        request.params.entropy_map.border = static_cast<std::uint8_t>(params.border);
        return request;
    }
    client::Request operator()(const AddParams&) const { return client::Request(TEGU_ADD); }
    client::Request operator()(const DotParams& params) const {
        client::Request request(TEGU_DOT);
        request.params.dot.skip_nans = flag(params.skip_nans);
        return request;
    }
    client::Request operator()(const RowscaleParams& params) const {
        client::Request request(TEGU_ROWSCALE);
        request.params.rowscale.skip_nans = flag(params.skip_nans);
        return request;
    }
    client::Request operator()(const FusedParams& params) const {
        std::vector<client::Part> parts;
        for (const FusedPart& part : params.parts) parts.push_back(std::visit(MakePart(), part));
        return client::Request::fused(parts);
    }
};

}  // namespace

client::Request request_of(const Reference& reference) {
    const Job& job = reference.job;
    client::Request request = std::visit(MakeRequest(), job.params);
    request.input(reference.inputs[0].get(), static_cast<std::uint8_t>(job.type), job.rows, job.cols);
    if (reference.inputs.size() > 1) request.second_input(reference.inputs[1].get());
    request.axis = static_cast<std::uint8_t>(job.axis);
    return request;
}

std::string difference(const Reference& reference, const client::Result& result) {
    std::vector<const std::byte*> outputs;
    kernels::RunReport report;
    for (const ArraySpec& spec : reference.plan.outputs) {
        const std::optional<client::Array> array = result.find(static_cast<std::uint8_t>(spec.role));
        const std::string name(array_role_word(spec.role));
        if (!array || array->rows != spec.rows || array->cols != spec.cols ||
            array->type != static_cast<std::uint8_t>(spec.type))
            return name + ": it is missing, or of another shape";
        outputs.push_back(static_cast<const std::byte*>(array->data));
    }
    report.filled_columns = reference.filled_columns;
    return difference(reference, outputs, report);
}

}  // namespace tegu::tune
