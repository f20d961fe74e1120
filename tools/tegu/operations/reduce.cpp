// SPDX-License-Identifier: Apache-2.0
// tegu reduce: any set of statistics of an array, of the whole or of each row.
#include "tools/tegu/operation.h"
#include "tools/tegu/output/terminal.h"
#include "tools/tegu/output/text.h"
#include "tools/tegu/output/words.h"

namespace tegu {
namespace cli {
namespace {

std::string all_statistics() {
    std::string words;
    for (std::uint8_t role = 1; role < TEGU_ROLE_VALUES; ++role)
        if (const char* word = tegu_role_word(role)) words += (words.empty() ? "" : " ") + std::string(word);
    return words;
}

// "sum,std" or "all" as a set of TEGU_STAT_*.
Expected<std::uint32_t> parse_statistics(const std::string& words) {
    std::uint32_t set = 0;
    for (const std::string& word : split(words)) {
        const std::uint32_t bit = client::find_statistic(word);
        if (bit == 0 && word != "all")
            return usage_error("--stats", word, "all, or some of: " + all_statistics());
        set |= bit;
        for (std::uint8_t role = 1; word == "all" && role < TEGU_ROLE_VALUES; ++role)
            if (tegu_role_word(role) != nullptr) set |= 1u << (role - 1);
    }
    return set;
}

// minmax is one cell of two numbers.
std::string cell(const client::Array& array, std::uint64_t row) {
    std::string text;
    for (std::uint64_t c = 0; c < array.cols; ++c)
        text += (c == 0 ? "" : " .. ") + element_text(array, row * array.cols + c);
    return text;
}

class Reduce : public Part {
  public:
    explicit Reduce(const JobOptions& job) : Part(job) {}
    std::uint16_t number() const override { return TEGU_REDUCE; }
    bool wanted() const override { return !stats_.empty(); }

    void add_options(CommandLine& line, bool alone) override {
        if (alone) stats_ = "sum";  // as the Python client
        line.text(
            "--stats", stats_, "WORD,...",
            "Some of: " + all_statistics() + "; or all" + (alone ? " [" + stats_ + "]" : std::string()));
        line.count("--ddof", ddof_, "var and std divide by count - ddof; 0 or 1 [0]", 0, UINT32_MAX,
                   range_text(&ReduceParams::ddof));
        if (!alone) line.need("--ddof", "--stats");
    }

    Expected<void> fill(tegu_params& params) override {
        Expected<std::uint32_t> set = parse_statistics(stats_);
        if (!set) return set.error();
        set_ = params.reduce.statistics = *set;
        params.reduce.skip_nans = job_.skip_nans ? 1 : 0;
        params.reduce.ddof = static_cast<std::uint32_t>(ddof_);
        return {};
    }

    std::vector<std::uint8_t> roles() const override {
        std::vector<std::uint8_t> roles;
        for (std::uint8_t role = 1; role < TEGU_ROLE_VALUES; ++role)
            if ((set_ >> (role - 1) & 1) != 0) roles.push_back(role);
        return roles;
    }

    std::string human(const Finished& job) const override {
        return job_.by_rows() ? human_rows(job) : human_whole(job);
    }

    void json(Json& json, const Finished& job) const override {
        json.key("stats").begin_object();
        for (const std::uint8_t role : roles()) {
            json.key(tegu_role_word(role));
            add_cells(json, job.array(role), job_.by_rows());
        }
        json.end_object();
    }

  private:
    std::string human_whole(const Finished& job) const {
        Table table("lr");
        for (const std::uint8_t role : roles()) table.row({tegu_role_word(role), cell(job.array(role), 0)});
        return table.text(false);
    }

    std::string human_rows(const Finished& job) const {
        std::vector<client::Array> arrays;
        std::vector<std::string> heading = {"row"};
        for (const std::uint8_t role : roles()) {
            arrays.push_back(job.array(role));
            heading.push_back(tegu_role_word(role));
        }
        Table table(std::string(heading.size(), 'r'));
        table.heading(std::move(heading));
        for (std::uint64_t r = 0; r < job.header().rows(); ++r) {
            std::vector<std::string> cells = {std::to_string(r)};
            for (const client::Array& array : arrays) cells.push_back(cell(array, r));
            table.row(std::move(cells));
        }
        return table.text(stdout_has_colour());
    }

    std::string stats_;
    std::uint64_t ddof_ = 0;
    std::uint32_t set_ = 0;
};

Action setup_reduce(CommandLine& line) {
    PartWords words;
    words.nans = "Leave NaN elements out of everything but nans";
    return setup_part(line, reduce_command(), words);
}

}  // namespace

Command reduce_command() {
    return {"reduce", "Statistics of an array, in one pass", "tegu reduce --stats sum,std numbers.npy",
            setup_reduce, make_part<Reduce>};
}

}  // namespace cli
}  // namespace tegu
