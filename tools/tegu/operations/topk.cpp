// SPDX-License-Identifier: Apache-2.0
// tegu topk: the k best values, best first, and their indices in the array or in each row.
#include <algorithm>
#include <optional>

#include "tools/tegu/operation.h"
#include "tools/tegu/output/npy_output.h"
#include "tools/tegu/output/terminal.h"
#include "tools/tegu/output/text.h"

namespace tegu {
namespace cli {
namespace {

struct Arrays {
    explicit Arrays(const Finished& job)
        : values(job.array(TEGU_ROLE_VALUES)),
          indices(job.array(TEGU_ROLE_INDICES)),
          counts(job.result.find(TEGU_ROLE_COUNTS)) {}
    std::uint64_t length(std::uint64_t row) const {
        return counts ? std::min(values.cols, counts->as<std::uint64_t>()[row]) : values.cols;
    }

    client::Array values, indices;
    std::optional<client::Array> counts;  // distinct: how much of each row is filled
};

std::string human_whole(const Arrays& arrays, const InputHeader& header) {
    const bool places = header.array.shape.size() == 2;
    Table table(places ? "rrrrr" : "rrr");
    std::vector<std::string> heading = {"rank", "value", "index"};
    if (places) heading.insert(heading.end(), {"row", "column"});
    table.heading(std::move(heading));
    for (std::uint64_t i = 0; i < arrays.length(0); ++i) {
        const std::int64_t index = arrays.indices.as<std::int64_t>()[i];
        std::vector<std::string> cells = {std::to_string(i + 1), element_text(arrays.values, i),
                                          std::to_string(index)};
        const auto cols = static_cast<std::int64_t>(header.cols());
        if (places && cols > 0)
            cells.insert(cells.end(), {std::to_string(index / cols), std::to_string(index % cols)});
        table.row(std::move(cells));
    }
    return table.text(stdout_has_colour());
}

std::string human_rows(const Arrays& arrays) {
    Table table("rrrr");
    table.heading({"row", "rank", "value", "index"});
    for (std::uint64_t r = 0; r < arrays.values.rows; ++r) {
        for (std::uint64_t i = 0; i < arrays.length(r); ++i) {
            const std::uint64_t at = r * arrays.values.cols + i;
            table.row({std::to_string(r), std::to_string(i + 1), element_text(arrays.values, at),
                       element_text(arrays.indices, at)});
        }
    }
    return table.text(stdout_has_colour());
}

class Topk : public Part {
  public:
    explicit Topk(const JobOptions& job) : Part(job) {}
    std::uint16_t number() const override { return TEGU_TOPK; }
    bool wanted() const override { return k_ != kNotGiven; }

    void add_options(CommandLine& line, bool alone) override {
        line.count("-k,--k", k_, "How many of the largest; 1 to the number of elements (of a row)", 0,
                   UINT64_MAX, "1 to the number of elements");
        line.flag("--smallest", smallest_, "The smallest instead of the largest");
        line.flag("--distinct", distinct_, "Each value once, with its first index");
        if (alone) {
            line.require("-k");
        } else {
            line.need("--smallest", "-k");
            line.need("--distinct", "-k");
        }
    }

    Expected<void> fill(tegu_params& params) override {
        params.topk.k = k_;
        params.topk.largest = smallest_ ? 0 : 1;
        params.topk.distinct = distinct_ ? 1 : 0;
        return {};
    }

    std::vector<std::uint8_t> roles() const override { return {TEGU_ROLE_VALUES, TEGU_ROLE_INDICES}; }

    std::string human(const Finished& job) const override {
        const Arrays arrays(job);
        return job_.by_rows() ? human_rows(arrays) : human_whole(arrays, job.header());
    }

    void json(Json& json, const Finished& job) const override {
        const Arrays arrays(job);
        json.key("values");
        add_elements(json, arrays.values, job_.by_rows(), arrays.counts);
        json.key("indices");
        add_elements(json, arrays.indices, job_.by_rows(), arrays.counts);
    }

    Expected<void> write(const Finished& job, OutputFile& file) const override {
        const Arrays arrays(job);
        return write_npy(file, {arrays.values, arrays.indices}, shape(job));
    }

  protected:
    std::vector<std::uint64_t> shape(const Finished& job) const override {
        std::vector<std::uint64_t> shape = Part::shape(job);
        shape.push_back(job.array(TEGU_ROLE_VALUES).cols);
        return shape;
    }

  private:
    std::uint64_t k_ = kNotGiven;
    bool smallest_ = false, distinct_ = false;
};

Action setup_topk(CommandLine& line) {
    return setup_part(line, topk_command(), PartWords());
}

}  // namespace

Command topk_command() {
    return {"topk", "The k largest or smallest values and where they are",
            "tegu topk -k 10 --json numbers.npy", setup_topk, make_part<Topk>};
}

}  // namespace cli
}  // namespace tegu
