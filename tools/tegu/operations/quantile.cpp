// SPDX-License-Identifier: Apache-2.0
// tegu quantile: exact quantiles of an array or of each row, with NumPy's interpolation methods.
#include "tools/tegu/operation.h"
#include "tools/tegu/output/terminal.h"
#include "tools/tegu/output/text.h"
#include "tools/tegu/output/words.h"

namespace tegu {
namespace cli {
namespace {

const std::vector<std::string>& methods() {  // in the order of TEGU_QUANTILE_*
    static const std::vector<std::string> words = {"linear", "lower", "higher", "nearest", "midpoint"};
    return words;
}

class Quantile : public Part {
  public:
    explicit Quantile(const JobOptions& job) : Part(job) {}
    std::uint16_t number() const override { return TEGU_QUANTILE; }
    bool wanted() const override { return !words_.empty(); }

    void add_options(CommandLine& line, bool alone) override {
        line.text("-q,--q", words_, "Q,...", "Shares from 0 to 1, as 0.5,0.9; 0.5 is the median");
        line.word("--method", method_, methods(),
                  "Between two elements: linear, lower, higher, nearest or midpoint [linear]");
        if (alone)
            line.require("-q");
        else
            line.need("--method", "-q");
    }

    Expected<void> fill(tegu_params& params) override {
        q_.clear();
        if (!parse_numbers(words_, q_)) return usage_error("--q", words_, "numbers from 0 to 1, as 0.5,0.9");
        params.quantile.q = q_.data();
        params.quantile.count = static_cast<std::uint32_t>(q_.size());
        while (methods()[params.quantile.method] != method_) ++params.quantile.method;
        params.quantile.skip_nans = job_.skip_nans ? 1 : 0;
        return {};
    }

    std::vector<std::uint8_t> roles() const override { return {TEGU_ROLE_QUANTILES}; }

    std::string human(const Finished& job) const override {
        const client::Array found = job.array(TEGU_ROLE_QUANTILES);
        return job_.by_rows() ? human_rows(found) : human_whole(found);
    }

    void json(Json& json, const Finished& job) const override {
        json.key("q").begin_array();
        for (const double q : q_) json.number(q);
        json.end_array().key("quantiles");
        add_elements(json, job.array(TEGU_ROLE_QUANTILES), job_.by_rows());
    }

  protected:
    std::vector<std::uint64_t> shape(const Finished& job) const override {
        std::vector<std::uint64_t> shape = Part::shape(job);
        shape.push_back(q_.size());
        return shape;
    }

  private:
    std::string human_whole(const client::Array& found) const {
        Table table("lr");
        table.heading({"q", "quantile"});
        for (std::size_t i = 0; i < q_.size(); ++i) table.row({number_text(q_[i]), element_text(found, i)});
        return table.text(stdout_has_colour());
    }

    std::string human_rows(const client::Array& found) const {
        Table table(std::string(q_.size() + 1, 'r'));
        std::vector<std::string> heading = {"row"};
        for (const double q : q_) heading.push_back("q=" + number_text(q));
        table.heading(std::move(heading));
        for (std::uint64_t r = 0; r < found.rows; ++r) {
            std::vector<std::string> cells = {std::to_string(r)};
            for (std::size_t i = 0; i < q_.size(); ++i)
                cells.push_back(element_text(found, r * q_.size() + i));
            table.row(std::move(cells));
        }
        return table.text(stdout_has_colour());
    }

    std::string words_, method_ = "linear";
    std::vector<double> q_;
};

Action setup_quantile(CommandLine& line) {
    PartWords words;
    words.nans = "Leave NaN elements out; else one makes every quantile nan";
    return setup_part(line, quantile_command(), words);
}

}  // namespace

Command quantile_command() {
    return {"quantile", "Exact quantiles of an array", "tegu quantile -q 0.5,0.9,0.99 times.npy",
            setup_quantile, make_part<Quantile>};
}

}  // namespace cli
}  // namespace tegu
