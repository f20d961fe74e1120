// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/operations/elementwise.h"

#include <cmath>

#include "tools/formats/colour.h"
#include "tools/tegu/output/npy_output.h"
#include "tools/tegu/output/text.h"

namespace tegu {
namespace cli {
namespace {

bool is_picture(const std::string& format) {
    return !format.empty() && format != "npy";
}

bool increases(const Range& range) {
    return range.lo < range.hi && std::isfinite(range.hi - range.lo);
}

}  // namespace

void Elementwise::add_picture_options(CommandLine& line, const std::string& full) {
    line.text("--colour", colour_, "WORD", "Of a .png: grey, viridis or magma [grey]");
    line.text("--scale", scale_, "WORD",
              "Values of the first and the last colour: full (" + full +
                  "), data (those of the result), or LO,HI [full]");
}

Expected<void> Elementwise::check_format(const std::string& format) const {
    if (formats::find_colour_map(colour_) == nullptr) {
        std::string words;
        for (const formats::ColourMap& map : formats::kColourMaps)
            words += (words.empty() ? "" : " ") + std::string(map.word);
        return usage_error("--colour", colour_, words);
    }
    if (colour_ != "grey" && format != "png")
        return failure(kUsage, "--colour " + colour_ + " needs -o with a .png", "--colour",
                       "grey, or -o FILE.png");
    Range range;
    if (scale_ != "full" && scale_ != "data" && (!parse_range(scale_, range) || !increases(range)))
        return usage_error("--scale", scale_, "full, data, or two increasing numbers, as 0,4");
    return {};
}

Expected<void> Elementwise::prepare(const InputHeader& header) {
    Expected<void> fits = Operation::prepare(header);
    const bool picture = !job_.output.empty() && is_picture(output_format(job_, formats()).value());
    return fits && picture ? require_two_dimensions(header, "a picture") : fits;
}

Range Elementwise::picture_range(const Finished& job) const {
    Range range;
    if (scale_ != "full" && scale_ != "data" && parse_range(scale_, range)) return range;
    if (scale_ == "full") range = full_range(job);
    if (increases(range)) return range;
    const Summary summary = summarise(job.array(role_));
    range = Range{summary.min, summary.max};
    if (increases(range)) return range;
    return std::isfinite(summary.min) ? Range{summary.min, summary.min + 1} : Range{0, 1};
}

std::string Elementwise::scale_text(const Range& range) const {
    const std::string unit = *this->unit() != '\0' ? std::string(" ") + this->unit() : "";
    return short_text(range.lo) + " .. " + short_text(range.hi) + unit + " from first to last colour of " +
           colour_;
}

Expected<void> Elementwise::write_picture(const Finished& job, OutputFile& file) const {
    const client::Array values = job.array(role_);
    const std::uint64_t rows = job.header().rows(), cols = job.header().cols();
    if (rows > UINT32_MAX || cols > UINT32_MAX)
        return failure(kIoError, "the result is too large for a picture; write a .npy", "-o",
                       "fewer than 2^32 pixels each way");
    const Range range = picture_range(job);
    const std::vector<float> floats = to_floats(values);
    const formats::Picture picture =
        formats::render(values.type == TEGU_F32 ? values.as<float>() : floats.data(), rows, cols, range.lo,
                        range.hi, *formats::find_colour_map(colour_));
    const std::string description = std::string(label_) + ", " + scale_text(range);
    Expected<void> written;
    if (job.format == "png") {
        Expected<std::string> encoded = formats::encode_png(picture, description);
        if (!encoded) return failure(kIoError, encoded.error().message, "-o", encoded.error().allowed);
        written = file.write(*encoded);
    } else {
        written = file.write(formats::encode_pgm_header(rows, cols, 255, description));
        if (written) written = file.write(picture.pixels.data(), picture.pixels.size());
    }
    if (!written) return written;
    return file.commit();
}

Expected<void> Elementwise::write(const Finished& job, OutputFile& file) const {
    if (is_picture(job.format)) return write_picture(job, file);
    return write_npy(file, {job.array(role_)}, shape(job));
}

std::string Elementwise::human(const Finished& job) const {
    const std::string unit = *this->unit() != '\0' ? std::string(" ") + this->unit() : "";
    Table table("ll");
    table.row({label_, summary_text(summarise(job.array(role_))) + unit});
    more_rows(table, job);
    if (!job.format.empty()) table.row({"written", job_.output});
    if (is_picture(job.format)) table.row({"scale", scale_text(picture_range(job))});
    return table.text(false);
}

void Elementwise::json(Json& json, const Finished& job) const {
    const Summary summary = summarise(job.array(role_));
    json.key("stats").begin_object().key("min").number(summary.min).key("mean").number(summary.mean);
    json.key("max").number(summary.max).end_object();
    more_keys(json, job);
    if (job.format.empty()) {
        json.key("values");
        add_elements(json, job.array(role_), job.header().array.shape.size() == 2);
        return;
    }
    json.key("output").begin_object().key("file").text(job_.output).key("format").text(job.format);
    if (is_picture(job.format)) {
        const Range range = picture_range(job);
        json.key("colour").text(colour_);
        json.key("range").begin_array().number(range.lo).number(range.hi).end_array();
    }
    json.end_object();
}

}  // namespace cli
}  // namespace tegu
