// SPDX-License-Identifier: Apache-2.0
// tegu entropy-map: the Shannon entropy of the window around each pixel, as numbers or as a picture. Pictures are scaled from 0 to the
// most that the window and the levels allow, so that two maps made alike can be compared by eye; --scale chooses otherwise.
#include <cerrno>
#include <cmath>
#include <memory>

#include "tools/formats/colour.h"
#include "tools/tegu/command.h"
#include "tools/tegu/job.h"
#include "tools/tegu/npy_output.h"
#include "tools/tegu/text.h"

namespace tegu {
namespace cli {
namespace {

struct Options {
    JobOptions job;
    std::string window = "5", range, base = "2", border = "clip", colour = "grey", scale = "full";
    std::uint64_t levels = 16;
};

struct Range {
    double lo = 0, hi = 0;
};

// "5" or "5x7", as rows x columns.
bool parse_window(const std::string& word, std::uint32_t& rows, std::uint32_t& cols) {
    Expected<std::vector<std::uint64_t>> extents = parse_shape(word);
    if (!extents || extents->size() > 2 || extents->front() > UINT32_MAX || extents->back() > UINT32_MAX) return false;
    rows = static_cast<std::uint32_t>(extents->front());
    cols = static_cast<std::uint32_t>(extents->back());
    return true;
}

// "lo,hi"
bool parse_range(const std::string& word, Range& range) {
    char* end = nullptr;
    errno = 0;
    range.lo = std::strtod(word.c_str(), &end);
    if (end == word.c_str() || *end != ',') return false;
    const char* second = end + 1;
    range.hi = std::strtod(second, &end);
    return end != second && *end == '\0';
}

Expected<client::Request> make_request(const Options& options) {
    client::Request request(TEGU_ENTROPY_MAP);
    tegu_entropy_map_params& params = request.params.entropy_map;
    if (!parse_window(options.window, params.window_rows, params.window_cols))
        return usage_error("--window", options.window, "odd sizes from 3 to 63, as 5 or 5x7 (rows x columns)");
    params.levels = static_cast<std::uint32_t>(options.levels);
    params.base = options.base == "e" ? TEGU_BASE_E : TEGU_BASE_2;
    params.border = options.border == "mirror" ? TEGU_BORDER_MIRROR : TEGU_BORDER_CLIP;
    if (!options.range.empty()) {
        Range range;
        if (!parse_range(options.range, range)) return usage_error("--range", options.range, "two numbers, as 0,255");
        params.has_range = 1;
        params.lo = range.lo;
        params.hi = range.hi;
    }
    return request;
}

struct Summary {
    double min = 0, max = 0, mean = 0;
};

Summary summarise(const client::Array& map) {
    const float* values = map.as<float>();
    Summary summary{static_cast<double>(values[0]), static_cast<double>(values[0]), 0};
    for (std::uint64_t i = 0; i < map.size(); ++i) {
        const auto value = static_cast<double>(values[i]);
        summary.min = std::min(summary.min, value);
        summary.max = std::max(summary.max, value);
        summary.mean += value;
    }
    summary.mean /= static_cast<double>(map.size());
    return summary;
}

// The entropies that become the first and the last colour.
Expected<Range> picture_range(const Options& options, const client::Request& request, const Summary& summary) {
    Range range;
    if (options.scale == "full") {
        const tegu_entropy_map_params& params = request.params.entropy_map;
        const double outcomes =
            std::min<double>(params.levels, static_cast<double>(params.window_rows) * params.window_cols);
        range.hi = params.base == TEGU_BASE_E ? std::log(outcomes) : std::log2(outcomes);
    } else if (options.scale == "data") {
        range = Range{summary.min, summary.max > summary.min ? summary.max : summary.min + 1};
    } else if (!parse_range(options.scale, range) || !(range.lo < range.hi) || !std::isfinite(range.hi - range.lo)) {
        return usage_error("--scale", options.scale, "full, data, or two increasing numbers, as 0,4");
    }
    return range;
}

const char* unit_of(const Options& options) {
    return options.base == "e" ? "nat" : "bit";
}

// Six digits: what a reader of a picture needs.
std::string short_text(double value) {
    return number_text(static_cast<float>(value));
}

std::string scale_text(const Options& options, const Range& range) {
    return short_text(range.lo) + " .. " + short_text(range.hi) + " " + unit_of(options) +
           " from first to last colour of " + options.colour;
}

Expected<void> write_picture(OutputFile& file, const std::string& format, const Options& options,
                             const client::Array& map, const Range& range) {
    if (map.rows > UINT32_MAX || map.cols > UINT32_MAX)
        return failure(kIoError, "the map is too large for a picture; write a .npy", "-o",
                       "fewer than 2^32 pixels each way");
    const formats::Picture picture = formats::render(map.as<float>(), map.rows, map.cols, range.lo, range.hi,
                                                     *formats::find_colour_map(options.colour));
    const std::string description = "entropy, " + scale_text(options, range);
    Expected<void> written;
    if (format == "png") {
        Expected<std::string> encoded = formats::encode_png(picture, description);
        if (!encoded) return failure(kIoError, encoded.error().message, "-o", encoded.error().allowed);
        written = file.write(*encoded);
    } else {
        written = file.write(formats::encode_pgm_header(map.rows, map.cols, 255, description));
        if (written) written = file.write(picture.pixels.data(), picture.pixels.size());
    }
    if (!written) return written;
    return file.commit();
}

Expected<void> report_json(const Options& options, const Finished& job, const client::Array& map,
                           const Summary& summary, const std::string& format, const Range& range) {
    Json json = begin_report("entropy-map");
    add_job_report(json, job);
    json.key("stats").begin_object().key("min").number(summary.min).key("mean").number(summary.mean);
    json.key("max").number(summary.max).end_object();
    json.key("unit").text(unit_of(options));
    if (format.empty()) {
        json.key("values");
        add_elements(json, map, true);
    } else {
        json.key("output").begin_object().key("file").text(options.job.output).key("format").text(format);
        if (format != "npy") {
            json.key("colour").text(options.colour);
            json.key("range").begin_array().number(range.lo).number(range.hi).end_array();
        }
        json.end_object();
    }
    return finish_report(json);
}

Expected<void> report(const Options& options, const Finished& job, const client::Array& map, const Summary& summary,
                      const std::string& format, const Range& range) {
    if (options.job.common.json) return report_json(options, job, map, summary, format, range);
    const std::string unit = std::string(" ") + unit_of(options);
    Table table("ll");
    table.row({"entropy", "min " + short_text(summary.min) + ", mean " + short_text(summary.mean) + ", max " +
                              short_text(summary.max) + unit});
    if (!format.empty()) table.row({"written", options.job.output});
    if (!format.empty() && format != "npy") table.row({"scale", scale_text(options, range)});
    return print(input_line(options.job, job.header) + table.text(false) + closing_line(job));
}

Expected<void> write_output(const Options& options, const std::string& format, const client::Array& map,
                            const Range& range, OutputFile& file) {
    if (format == "npy") return write_npy(file, {map}, {map.rows, map.cols});
    return write_picture(file, format, options, map, range);
}

Expected<void> check_colour(const Options& options, const std::string& format) {
    if (formats::find_colour_map(options.colour) == nullptr) {
        std::string words;
        for (const formats::ColourMap& map : formats::kColourMaps)
            words += (words.empty() ? "" : " ") + std::string(map.word);
        return usage_error("--colour", options.colour, words);
    }
    if (options.colour != "grey" && format != "png")
        return failure(kUsage, "--colour " + options.colour + " needs -o with a .png", "--colour",
                       "grey, or -o FILE.png");
    return {};
}

Expected<void> run(const Options& options) {
    Expected<client::Request> request = make_request(options);
    if (!request) return request.error();
    Expected<std::string> format = output_format(options.job, "npy pgm png");
    if (!format) return format.error();
    Expected<void> colour = check_colour(options, *format);
    if (!colour) return colour;
    Expected<Range> probe =
        picture_range(options, *request, Summary());  // a word that cannot be read is found before the job runs
    if (!probe) return probe.error();

    std::optional<OutputFile> file;
    const auto prepare = [&](const InputHeader& header) -> Expected<void> {
        Expected<void> fits = require_two_dimensions(header, "entropy-map");
        return fits && !format->empty() ? open_output(options.job, file) : fits;
    };
    Expected<Finished> job = run_job(options.job, "entropy-map", *request, prepare);
    if (!job) return job.error();
    const std::optional<client::Array> map = job->result.find(TEGU_ROLE_MAP);
    if (!map || map->type != TEGU_F32 || map->size() == 0)
        return Error{TEGU_INTERNAL, 0, {}, {}, "the reply lacks the map"};
    const Summary summary = summarise(*map);
    const Range range = picture_range(options, *request, summary).value();
    if (file) {
        Expected<void> written = write_output(options, *format, *map, range, *file);
        if (!written || file->is_stdout()) return written;
    }
    return report(options, *job, *map, summary, *format, range);
}

}  // namespace

Action setup_entropy_map(CommandLine& line) {
    auto options = std::make_shared<Options>();
    line.text("--window", options->window, "SIZE", "Window, odd sizes from 3 to 63, as 5 or 5x7 (rows x columns) [5]");
    line.count("--levels", options->levels, "Levels of the quantisation, 2 to 256 [16]", 0, UINT32_MAX);
    line.text("--range", options->range, "LO,HI",
              "Outer edges of the first and the last level [the type's range; of floats, min and max of the pixels]");
    line.word("--base", options->base, {"2", "e"}, "Base of the logarithm: 2 (bits) or e (nats) [2]");
    line.word("--border", options->border, {"clip", "mirror"},
              "At the edge: clip the window, or mirror the image [clip]");
    line.text("--colour,--color", options->colour, "WORD", "Of a .png: grey, viridis or magma [grey]");
    line.text("--scale", options->scale, "WORD",
              "Entropies of the first and the last colour: full (0 to the most possible), data (those of the map), or "
              "LO,HI [full]");
    add_job_options(line, options->job);
    add_output_options(line, options->job, "npy, pgm or png");
    return [options] { return run(*options); };
}

}  // namespace cli
}  // namespace tegu
