// SPDX-License-Identifier: Apache-2.0
// tegu entropy: the Shannon entropy of the levels of an array or of each row.
#include "tools/tegu/operation.h"
#include "tools/tegu/output/text.h"
#include "tools/tegu/output/words.h"

namespace tegu {
namespace cli {
namespace {

class Entropy : public Part {
  public:
    explicit Entropy(const JobOptions& job) : Part(job) {}
    std::uint16_t number() const override { return TEGU_ENTROPY; }
    bool wanted() const override { return levels_ != kNotGiven; }

    void add_options(CommandLine& line, bool alone) override {
        if (alone) levels_ = EntropyParams{}.levels;
        line.count("--levels", levels_,
                   "Levels that elements become, " + range_text(&EntropyParams::levels) +
                       (alone ? " [" + std::to_string(levels_) + "]" : ""),
                   0, UINT32_MAX, range_text(&EntropyParams::levels));
        line.word("--base", base_, {"2", "e"}, "Base of the logarithm: 2 (bits) or e (nats) [2]");
        if (!alone) line.need("--base", "--levels");
    }

    Expected<void> fill(tegu_params& params) override {
        params.entropy.levels = static_cast<std::uint32_t>(levels_);
        params.entropy.base = base_number(base_);
        params.entropy.skip_nans = job_.skip_nans ? 1 : 0;
        return fill_range(job_.range, params.entropy);
    }

    std::vector<std::uint8_t> roles() const override { return {TEGU_ROLE_ENTROPY}; }

    std::string human(const Finished& job) const override {
        return column_text(job.array(TEGU_ROLE_ENTROPY), job_.by_rows(), entropy_unit(base_));
    }

    void json(Json& json, const Finished& job) const override {
        json.key("entropy");
        add_cells(json, job.array(TEGU_ROLE_ENTROPY), job_.by_rows());
        json.key("unit").text(entropy_unit(base_));
    }

  private:
    std::uint64_t levels_ = kNotGiven;
    std::string base_ = "2";
};

Action setup_entropy(CommandLine& line) {
    PartWords words;
    words.nans = "Leave NaN elements out; else one makes the entropy nan";
    words.range =
        "Outer edges of the first and the last level [the type's range; of floats, min and max of the "
        "elements]";
    return setup_part(line, entropy_command(), words);
}

}  // namespace

Command entropy_command() {
    return {"entropy", "Shannon entropy of the levels of an array",
            "tegu entropy --levels 16 --rows photo.png", setup_entropy, make_part<Entropy>};
}

}  // namespace cli
}  // namespace tegu
