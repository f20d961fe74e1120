// SPDX-License-Identifier: Apache-2.0
// tegu-describe: prints base/operations.h as client/python/tegu/_described.py.
#include <cstdio>
#include <string>

#include "base/job.h"

namespace tegu {
namespace {

std::string quoted(std::string_view text) {
    return "\"" + std::string(text) + "\"";
}

// A parameter as (name, kind, default, allowed values).
template <class Params>
struct Row {
    std::string operator()(const Flag<Params>& flag) const {
        return line(flag.name, "flag", defaults.*flag.member ? "True" : "False", "None");
    }
    template <class T>
    std::string operator()(const Number<Params, T>& number) const {
        return line(number.name, sizeof(T) == 4 ? "u32" : "u64", std::to_string(defaults.*number.member),
                    quoted(number.allowed));
    }
    template <class Enumeration>
    std::string operator()(const Choice<Params, Enumeration>& choice) const {
        const Words words = words_of(Enumeration{});
        std::string all;
        for (std::size_t i = 0; i < words.count; ++i) all += (i == 0 ? "" : ", ") + quoted(words.begin[i]);
        const auto usual = static_cast<std::size_t>(defaults.*choice.member);
        return line(choice.name, "choice", quoted(words.begin[usual]), "(" + all + ")");
    }
    std::string operator()(const Set<Params>& set) const {
        return line(set.name, "set", std::to_string(defaults.*set.member), "None");
    }
    std::string operator()(const Edge<Params>& edge) const { return line(edge.name, "edge", "0.0", "None"); }
    template <class T>
    std::string operator()(const List<Params, T>& list) const {
        return line(list.name, "list", "()", std::to_string(list.max));
    }
    static std::string line(const char* name, const char* kind, const std::string& usual,
                            const std::string& allowed) {
        return "        (" + quoted(name) + ", " + quoted(kind) + ", " + usual + ", " + allowed + "),\n";
    }

    Params defaults;
};

template <class Params>
std::string rows_of() {
    std::string rows;
    for_each_parameter<Params>([&](const auto& parameter) { rows += Row<Params>{}(parameter); });
    return rows.empty() ? "()" : "(\n" + rows + "    )";
}

std::string module_text() {
    std::string operations, parts, roles, statistics, parameters;
    for (const OperationInfo& info : operation_infos()) {
        const auto number = static_cast<std::uint16_t>(info.operation);
        operations += "    " + quoted(info.stem) + ": " + std::to_string(number) + ",\n";
        if (visit_operation<FusedPart>(number, [](const auto&) {}))
            parts += "    " + quoted(info.stem) + ",\n";
        visit_operation<JobParams>(number, [&](const auto& params) {
            parameters +=
                "    " + quoted(info.stem) + ": " + rows_of<std::decay_t<decltype(params)>>() + ",\n";
        });
    }
    for (const StatisticInfo& info : kStatisticInfos) statistics += "    " + quoted(info.word) + ",\n";
#define TEGU_X(number, Name, word, sentence) roles += "    \"" #word "\": " #number ",\n";
    TEGU_ARRAY_ROLES(TEGU_X)
#undef TEGU_X
    return "# SPDX-License-Identifier: Apache-2.0\n"
           "\"\"\"base/operations.h, as tegu-describe prints it: the target describe writes this "
           "file.\"\"\"\n\n"
           "OPERATIONS = {\n" +
           operations + "}\n# Those that can be part of a fused job.\nPARTS = (\n" + parts +
           ")\nSTATISTICS = (\n" + statistics + ")\nROLES = {\n" + roles +
           "}\n# Of each operation (name, kind, default, what is allowed), in the order of the wire.\n"
           "PARAMETERS = {\n" +
           parameters + "}\n";
}

}  // namespace
}  // namespace tegu

int main() {
    std::fputs(tegu::module_text().c_str(), stdout);
    return std::fflush(stdout) == 0 ? 0 : 1;
}
