// SPDX-License-Identifier: Apache-2.0
#include "tools/tune/tegud/client_job.h"

#include "client/store_params.h"

namespace tegu::tune {
namespace {

template <class Params>
client::Part part_of(const Params& params) {
    client::Part part(static_cast<std::uint16_t>(operation_of(params)));
    std::memset(&part.params, 0, sizeof part.params);
    clientlib::store(params, &part.params);
    return part;
}

struct MakeRequest {
    template <class Params>
    client::Request operator()(const Params& params) const {
        return client::Request(part_of(params));
    }
    client::Request operator()(const FusedParams& params) const {
        std::vector<client::Part> parts;
        for (const FusedPart& part : params.parts)
            parts.push_back(std::visit([](const auto& each) { return part_of(each); }, part));
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
