// SPDX-License-Identifier: Apache-2.0
// The only file that sees libpng. libpng leaves its functions by longjmp. So no local between setjmp and that
// jump has a destructor, and what is allocated there hangs on a struct that the caller owns.
#include "tools/formats/png.h"

#include <png.h>

#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "tools/formats/luma.h"

namespace tegu {
namespace formats {
namespace {

constexpr std::string_view kSignature("\x89PNG\r\n\x1a\n", 8);
constexpr std::uint32_t kMaxExtent = 1000000;         // libpng's own limit
constexpr std::uint64_t kMaxExpansion = 1032;         // of deflate: bytes out per byte in
constexpr png_alloc_size_t kMaxChunkBytes = 8000000;  // of a chunk that is not pixels
constexpr png_uint_32 kMaxChunks = 1000;

// The state that the callbacks of libpng share with the functions below.
struct Job {
    const char* input = nullptr;
    std::size_t input_left = 0;
    char* output = nullptr;  // malloc
    std::size_t output_bytes = 0, output_capacity = 0;
    png_bytep scratch = nullptr;  // malloc
    char message[160] = "";
};

void on_error(png_structp png, png_const_charp text) {
    auto* job = static_cast<Job*>(png_get_error_ptr(png));
    std::snprintf(job->message, sizeof job->message, "%s", text);
    png_longjmp(png, 1);
}

void on_warning(png_structp, png_const_charp) {}

void on_read(png_structp png, png_bytep to, png_size_t bytes) {
    auto* job = static_cast<Job*>(png_get_io_ptr(png));
    if (bytes > job->input_left) png_error(png, "truncated: the file ends within the image");
    std::memcpy(to, job->input, bytes);
    job->input += bytes;
    job->input_left -= bytes;
}

void on_write(png_structp png, png_bytep from, png_size_t bytes) {
    auto* job = static_cast<Job*>(png_get_io_ptr(png));
    if (bytes > job->output_capacity - job->output_bytes) {
        const std::size_t capacity = (job->output_bytes + bytes) * 2 + 65536;
        char* larger = static_cast<char*>(std::realloc(job->output, capacity));
        if (larger == nullptr) png_error(png, "out of memory");
        job->output = larger;
        job->output_capacity = capacity;
    }
    std::memcpy(job->output + job->output_bytes, from, bytes);
    job->output_bytes += bytes;
}

void on_flush(png_structp) {}

std::uint32_t big_endian32(std::string_view bytes) {
    std::uint32_t value = 0;
    for (const char c : bytes.substr(0, 4)) value = value << 8 | static_cast<unsigned char>(c);
    return value;
}

// Reads all rows, in as many passes as an interlaced image has. Colour needs a scratch row, or image if it is
// interlaced.
void read_rows(png_structp png, Job* job, const PngHeader* header, png_bytep samples) {
    const int passes = png_set_interlace_handling(png);
    const std::size_t row_bytes = header->cols * tegu_element_bytes(header->type);
    const std::size_t rgb_bytes = row_bytes * 3;
    if (header->colour) {
        job->scratch = static_cast<png_bytep>(std::calloc(passes == 1 ? 1 : header->rows, rgb_bytes));
        if (job->scratch == nullptr) png_error(png, "out of memory");
    }
    for (int pass = 0; pass < passes; ++pass) {
        for (std::uint64_t r = 0; r < header->rows; ++r) {
            png_bytep grey = samples + r * row_bytes;
            png_bytep rgb = job->scratch + (passes == 1 ? 0 : r * rgb_bytes);
            png_read_row(png, header->colour ? rgb : grey, nullptr);
            if (!header->colour || pass + 1 < passes) continue;
            if (header->type == TEGU_U8)
                luma_of(rgb, 3, grey, header->cols);
            else
                luma_of(rgb, 3, reinterpret_cast<std::uint16_t*>(grey), header->cols);
        }
    }
}

// False: job->message says why.
bool decode(png_structp png, png_infop info, Job* job, const PngHeader* header, png_bytep samples) {
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_user_limits(png, kMaxExtent, kMaxExtent);
    png_set_chunk_malloc_max(png, kMaxChunkBytes);
    png_set_chunk_cache_max(png, kMaxChunks);
    // Chunks that change no pixel are skipped: for some of them libpng allocates whatever length they
    // announce, above the limit too.
    png_set_keep_unknown_chunks(png, PNG_HANDLE_CHUNK_NEVER, nullptr, -1);
    png_set_read_fn(png, job, on_read);
    png_read_info(png, info);
    if (png_get_image_height(png, info) != header->rows || png_get_image_width(png, info) != header->cols)
        png_error(png, "the header stands there twice");
    const int depth = png_get_bit_depth(png, info);
    const int colour = png_get_color_type(png, info);
    if (colour == PNG_COLOR_TYPE_PALETTE) png_set_palette_to_rgb(png);
    if (colour == PNG_COLOR_TYPE_GRAY && depth < 8) png_set_expand_gray_1_2_4_to_8(png);
    png_set_strip_alpha(png);
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    if (depth == 16) png_set_swap(png);
#endif
    png_set_interlace_handling(png);
    png_read_update_info(png, info);
    const std::size_t channels = header->colour ? 3 : 1;
    if (png_get_rowbytes(png, info) != header->cols * tegu_element_bytes(header->type) * channels)
        png_error(png, "an unusual combination of depth and colour");
    read_rows(png, job, header, samples);
    png_read_end(png, nullptr);
    return true;
}

bool encode(png_structp png, png_infop info, Job* job, const Picture* picture, png_textp text) {
    if (setjmp(png_jmpbuf(png))) return false;
    png_set_write_fn(png, job, on_write, on_flush);
    png_set_IHDR(png, info, picture->cols, picture->rows, 8,
                 picture->channels == 1 ? PNG_COLOR_TYPE_GRAY : PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE,
                 PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    if (text != nullptr) png_set_text(png, info, text, 1);
    png_write_info(png, info);
    const std::size_t row_bytes = std::size_t{picture->cols} * picture->channels;
    for (std::uint32_t r = 0; r < picture->rows; ++r)
        png_write_row(png, picture->pixels.data() + r * row_bytes);
    png_write_end(png, nullptr);
    return true;
}

}  // namespace

bool looks_like_png(std::string_view prefix) {
    return prefix.substr(0, kSignature.size()) == kSignature;
}

Expected<PngHeader> parse_png(std::string_view prefix, std::uint64_t file_bytes) {
    if (!looks_like_png(prefix)) return bad_data("header", "PNG", ".png: the signature is missing");
    if (prefix.size() < 33)
        return bad_data("header", "33 bytes", ".png: truncated: the file ends within the header");
    if (big_endian32(prefix.substr(8)) != 13 || prefix.substr(12, 4) != "IHDR")
        return bad_data("header", "IHDR of 13 bytes", ".png: the first chunk is not the header of an image");
    const std::uint32_t width = big_endian32(prefix.substr(16)), height = big_endian32(prefix.substr(20));
    const auto depth = static_cast<unsigned char>(prefix[24]);
    const auto colour = static_cast<unsigned char>(prefix[25]);
    if (width == 0 || height == 0 || width > kMaxExtent || height > kMaxExtent) {
        return bad_data(
            "width", "1..1000000 pixels each way",
            ".png: an image of " + std::to_string(width) + " x " + std::to_string(height) + " pixels");
    }
    const int channels = colour == 0 || colour == 3 ? 1
                         : colour == 4              ? 2
                         : colour == 2              ? 3
                         : colour == 6              ? 4
                                                    : 0;
    if (channels == 0 || (depth != 1 && depth != 2 && depth != 4 && depth != 8 && depth != 16))
        return bad_data("colour", "PNG 1.2", ".png: unknown depth or colour type in the header");
    const std::uint64_t min =
        (std::uint64_t{width} * static_cast<unsigned>(channels) * depth + 7) / 8 * height;
    if (min / kMaxExpansion > file_bytes) {
        return bad_data("width", "what the file can hold",
                        ".png: the header announces " + std::to_string(width) + " x " +
                            std::to_string(height) + " pixels, which " + std::to_string(file_bytes) +
                            " bytes cannot hold");
    }
    PngHeader header;
    header.type = depth == 16 ? TEGU_U16 : TEGU_U8;
    header.rows = height;
    header.cols = width;
    header.colour = (colour & 2) != 0;
    header.alpha = (colour & 4) != 0;
    return header;
}

Expected<void> decode_png(std::string_view file, const PngHeader& header, void* samples) {
    Job job;
    job.input = file.data();
    job.input_left = file.size();
    png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, &job, on_error, on_warning);
    png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
    const bool done = info != nullptr && decode(png, info, &job, &header, static_cast<png_bytep>(samples));
    png_destroy_read_struct(&png, &info, nullptr);
    std::free(job.scratch);
    if (!done)
        return bad_data("image", "PNG",
                        std::string(".png: ") + (job.message[0] != '\0' ? job.message : "out of memory"));
    return {};
}

Expected<std::string> encode_png(const Picture& picture, const std::string& description) {
    std::string key = "Description", value = description;
    png_text text;
    std::memset(&text, 0, sizeof text);
    text.compression = PNG_TEXT_COMPRESSION_NONE;
    text.key = key.data();
    text.text = value.data();
    text.text_length = value.size();
    Job job;
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &job, on_error, on_warning);
    png_infop info = png != nullptr ? png_create_info_struct(png) : nullptr;
    const bool done = info != nullptr && encode(png, info, &job, &picture, value.empty() ? nullptr : &text);
    png_destroy_write_struct(&png, &info);
    std::string file;
    if (done) file.assign(job.output, job.output_bytes);
    std::free(job.output);
    if (!done) {
        return Error{
            TEGU_IO, 0, "image", "1..1000000 pixels each way",
            std::string("cannot encode a .png: ") + (job.message[0] != '\0' ? job.message : "out of memory")};
    }
    return file;
}

}  // namespace formats
}  // namespace tegu
