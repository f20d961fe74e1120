// SPDX-License-Identifier: Apache-2.0
// tegu entropy-map: the Shannon entropy of the window around each pixel, as numbers or as a picture. Pictures
// are scaled from 0 to the maximum for the window and the levels.
#include <algorithm>
#include <cmath>

#include "tools/tegu/operations/elementwise.h"
#include "tools/tegu/output/npy_output.h"

namespace tegu {
namespace cli {
namespace {

// "5" or "5x7", as rows x columns.
bool parse_window(const std::string& word, std::uint32_t& rows, std::uint32_t& cols) {
    Expected<std::vector<std::uint64_t>> extents = parse_shape(word);
    if (!extents || extents->size() > 2 || extents->front() > UINT32_MAX || extents->back() > UINT32_MAX)
        return false;
    rows = static_cast<std::uint32_t>(extents->front());
    cols = static_cast<std::uint32_t>(extents->back());
    return true;
}

class EntropyMap : public Elementwise {
  public:
    explicit EntropyMap(const JobOptions& job) : Elementwise(job, TEGU_ROLE_MAP, "entropy") {}

    void add_options(CommandLine& line) {
        line.text("--window", window_, "SIZE", "Window, " + sizes_ + " [" + window_ + "]");
        line.count("--levels", levels_,
                   "Levels of the quantisation, " + range_text(&EntropyMapParams::levels) + " [" +
                       std::to_string(levels_) + "]",
                   0, UINT32_MAX, range_text(&EntropyMapParams::levels));
        line.word("--base", base_, {"2", "e"}, "Base of the logarithm: 2 (bits) or e (nats) [2]");
        line.word("--border", border_, {"clip", "mirror"},
                  "At the edge: clip the window, or mirror the image [clip]");
        add_picture_options(line, "0 to the most possible");
    }

    Expected<void> fill(tegu_params& params) override {
        tegu_entropy_map_params& map = params.entropy_map;
        if (!parse_window(window_, map.window_rows, map.window_cols))
            return usage_error("--window", window_, sizes_);
        map.levels = static_cast<std::uint32_t>(levels_);
        map.base = base_number(base_);
        map.border = border_ == "mirror" ? TEGU_BORDER_MIRROR : TEGU_BORDER_CLIP;
        outcomes_ = std::min<double>(map.levels, static_cast<double>(map.window_rows) * map.window_cols);
        return fill_range(job_.range, map);
    }

    Expected<void> prepare(const InputHeader& header) override {
        if (header.array.shape.size() == 2) return {};
        return failure(
            kDataError,
            "entropy-map needs an image: the input has the shape " + shape_text(header.array.shape), "input",
            "2 dimensions");
    }

  protected:
    Range full_range(const Finished&) const override {
        return Range{0, base_number(base_) == TEGU_BASE_E ? std::log(outcomes_) : std::log2(outcomes_)};
    }
    const char* unit() const override { return entropy_unit(base_); }
    void more_keys(Json& json, const Finished&) const override { json.key("unit").text(unit()); }
    std::vector<std::uint64_t> shape(const Finished& job) const override {
        return {job.header().rows(), job.header().cols()};
    }

  private:
    const std::string sizes_ =
        "odd sizes from " + range_text(&EntropyMapParams::window_rows) + ", as 5 or 5x7 (rows x columns)";
    std::string window_ = std::to_string(EntropyMapParams{}.window_rows), base_ = "2", border_ = "clip";
    std::uint64_t levels_ = EntropyMapParams{}.levels;
    double outcomes_ = 1;  // as many as a window can have
};

Action setup_entropy_map(CommandLine& line) {
    auto command = std::make_shared<OperationCommand<EntropyMap>>();
    command->operation.add_options(line);
    add_range_option(line, command->job,
                     "Outer edges of the first and the last level [the type's range; of floats, min and max "
                     "of the pixels]");
    add_job_options(line, command->job);
    add_output_options(line, command->job, command->operation.formats());
    return action_of(command, TEGU_ENTROPY_MAP, "entropy-map");
}

}  // namespace

Command entropy_map_command() {
    return {"entropy-map", "Shannon entropy of the window around each pixel",
            "tegu entropy-map --window 9 --levels 64 --colour viridis photo.png -o entropy.png",
            setup_entropy_map};
}

}  // namespace cli
}  // namespace tegu
