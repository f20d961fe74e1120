// SPDX-License-Identifier: Apache-2.0
// tegu rowscale: divides an array, or each row, by its largest magnitude; also returns the magnitudes.
#include <optional>

#include "tools/tegu/operations/elementwise.h"
#include "tools/tegu/output/npy_output.h"
#include "tools/tegu/output/text.h"

namespace tegu {
namespace cli {
namespace {

class Rowscale : public Elementwise {
  public:
    explicit Rowscale(const JobOptions& job) : Elementwise(job, TEGU_ROLE_VALUES, "values") {}

    void add_options(CommandLine& line) {
        line.text("--scales", scales_path_, "FILE", "Write the magnitudes to this .npy");
        add_picture_options(line, "-1 to 1");
    }

    Expected<void> fill(tegu_params& params) override {
        params.rowscale.skip_nans = job_.skip_nans ? 1 : 0;
        return {};
    }

    Expected<void> check_format(const std::string& format) const override {
        if (scales_path_ == "-") return usage_error("--scales", scales_path_, "a file");
        if (!scales_path_.empty() && scales_path_ == job_.output)
            return failure(kUsage, "-o and --scales name the same file", "--scales", "another file than -o");
        return Elementwise::check_format(format);
    }

    Expected<void> prepare(const InputHeader& header) override {
        Expected<void> fits = Elementwise::prepare(header);
        return fits && !scales_path_.empty() ? open_output(scales_path_, scales_file_) : fits;
    }

    std::vector<std::uint8_t> roles() const override { return {TEGU_ROLE_VALUES, TEGU_ROLE_SCALES}; }

    Expected<void> write_more(const Finished& job) override {
        if (!scales_file_) return {};
        return write_npy(*scales_file_, {job.array(TEGU_ROLE_SCALES)}, Operation::shape(job));
    }

  protected:
    Range full_range(const Finished&) const override { return Range{-1, 1}; }

    void more_rows(Table& table, const Finished& job) const override {
        const client::Array scales = job.array(TEGU_ROLE_SCALES);
        const bool one = scales.size() == 1;
        table.row(
            {one ? "scale" : "scales", (one ? element_text(scales, 0) : summary_text(summarise(scales))) +
                                           (scales_path_.empty() ? "" : ", in " + scales_path_)});
    }

    void more_keys(Json& json, const Finished& job) const override {
        json.key("scales");
        add_cells(json, job.array(TEGU_ROLE_SCALES), job_.by_rows());
    }

  private:
    std::string scales_path_;
    std::optional<OutputFile> scales_file_;
};

Action setup_rowscale(CommandLine& line) {
    auto command = std::make_shared<OperationCommand<Rowscale>>();
    command->operation.add_options(line);
    add_axis_options(line, command->job);
    add_nan_option(line, command->job,
                   "NaN elements do not count for the magnitude; else one makes its row nan");
    add_job_options(line, command->job);
    add_output_options(line, command->job, command->operation.formats());
    return action_of(command, TEGU_ROWSCALE, "rowscale");
}

}  // namespace

Command rowscale_command() {
    return {"rowscale", "Each row divided by its largest magnitude",
            "tegu rowscale --rows weights.npy -o scaled.npy --scales scales.npy", setup_rowscale};
}

}  // namespace cli
}  // namespace tegu
