// SPDX-License-Identifier: Apache-2.0
// The method for every window and number of levels. The piece's pixels become levels in memory first, with half a window around them, mirrored where the
// border is: one byte a pixel, which every thread then reads 2 * window_cols times from the caches. Also what makes results NaN, which only images with NaN pay for.
#include "kernels/cuda/entropy_map.cuh"
#include "kernels/cuda/entropy_map_pairs.h"

namespace tegu {
namespace cuda {
namespace {

constexpr unsigned kPlaneThreads = 256;
constexpr std::uint64_t kPlaneAlignment = 16;
constexpr std::uint64_t kMaxPlaneBytes = std::uint64_t{256} << 20;
constexpr unsigned kMaxGridY = 65535;
constexpr unsigned kMaxByteCount = 255;  // pixels of a window whose counts fit bytes

constexpr std::uint64_t divide_up(std::uint64_t a, std::uint64_t b) { return (a + b - 1) / b; }

// The levels of a piece, and of the pixels around it.
struct Plane {
    std::uint8_t* levels;
    std::uint32_t pitch;  // bytes, a multiple of kPlaneAlignment
    std::uint32_t rows, cols;
    std::int64_t top, left;  // row and column of the image
};

// Columns before the first result: half a window or a little more, so that results begin at whole words.
constexpr unsigned left_of(const EntropyWindow& window) { return (window.cols / 2 + 3) / 4 * 4; }
std::uint64_t pitch_of(std::uint64_t cols, const EntropyWindow& window) {
    return divide_up(left_of(window) + cols + window.cols / 2, kPlaneAlignment) * kPlaneAlignment;
}

Plane plane_of(const EntropyWindow& window, const EntropyPiece& piece, std::uint8_t* levels) {
    const std::uint64_t cols = piece.col_end - piece.col_begin;
    Plane plane;
    plane.levels = levels;
    plane.pitch = static_cast<std::uint32_t>(pitch_of(cols, window));
    plane.rows = static_cast<std::uint32_t>(piece.row_end - piece.row_begin + window.rows - 1);
    plane.cols = static_cast<std::uint32_t>(left_of(window) + cols + window.cols / 2);
    plane.top = static_cast<std::int64_t>(piece.row_begin) - window.rows / 2;
    plane.left = static_cast<std::int64_t>(piece.col_begin) - left_of(window);
    return plane;
}

// entropy_map_levels: the pixels of a piece and its surroundings as levels.
// in:    x of the image                         out: plane.levels [rows, pitch] u8; 0 outside the image if the border is clip; nan_seen
// grid:  x strides over words of four levels    block: kPlaneThreads
// shared: none                                  result valid in: the plane, after the launch
// moves: reads the pixels once, writes a byte for each      order: any
// why:   windows share pixels: each is converted once, and read as a byte from then on
template <class T>
TEGU_KERNEL TEGU_BOUNDS(kPlaneThreads) entropy_map_levels(EntropyMapImage image, Plane plane, bool mirror) {
    const std::uint32_t words_across = plane.pitch / 4, words = words_across * plane.rows;
    const std::uint32_t step = grid_x() * block_threads();
    const auto image_rows = static_cast<std::int64_t>(image.rows), image_cols = static_cast<std::int64_t>(image.cols);
    bool any_nan = false;
    for (std::uint32_t word = block_x() * block_threads() + thread_index(); word < words; word += step) {
        const std::int64_t row = plane.top + word / words_across;
        const std::int64_t left = plane.left + word % words_across * 4;
        std::uint32_t levels = 0;
        if (mirror || (row >= 0 && row < image_rows)) {
            const T* const pixels = static_cast<const T*>(image.x) + static_cast<std::uint64_t>(mirrored(row, image_rows)) * image.row_stride;
            TEGU_UNROLL
            for (unsigned i = 0; i < 4; ++i) {
                const std::int64_t col = left + i;
                if (col >= plane.left + plane.cols || (!mirror && (col < 0 || col >= image_cols))) continue;
                bool nan = false;
                levels |= level_of(pixels[mirrored(col, image_cols)], image.rule, &nan) << (8 * i);
                any_nan |= nan;
            }
        }
        reinterpret_cast<std::uint32_t*>(plane.levels)[word] = levels;
    }
    if (Leveled<T>::kFloat && warp_any(any_nan) && lane_index() == 0) atomic_or(image.nan_seen, 1u);
}

// The part of the plane that is inside the image or mirrored.
struct Inside {
    std::uint32_t row_begin, row_end, col_begin, col_end;
};

// What entropy_map_slide takes.
struct SlideArrays {
    Plane plane;
    EntropyWindow window;
    EntropyTables tables;
    Inside inside;
    std::uint32_t first_col;                               // of the first result's window
    std::uint32_t rows, cols;                              // results
    std::uint32_t strip_rows;
    float* map;                                            // of the piece's first result
    std::uint64_t map_cols;
};

// The histogram of one thread. The threads of a block have their words side by side, so that lanes never meet in a bank.
template <class Count>
struct Histogram {
    static constexpr unsigned kPerWord = 4 / sizeof(Count);
    unsigned char* words;  // of this thread
    unsigned pitch;        // bytes to its next word

    TEGU_DEVICE Count* at(unsigned level) const {
        return reinterpret_cast<Count*>(words + level / kPerWord * pitch + level % kPerWord * sizeof(Count));
    }
    TEGU_DEVICE void clear(unsigned levels) const {
        for (unsigned level = 0; level < levels; ++level) *at(level) = 0;
    }
};

// A window that moves: its histogram and the sum of F over it.
template <class Count>
struct Window {
    Histogram<Count> counts;
    const std::uint32_t* differences;
    std::uint32_t sum;

    TEGU_DEVICE void enter(unsigned level) {
        Count* const count = counts.at(level);
        const unsigned before = *count;
        sum += differences[before];
        *count = static_cast<Count>(before + 1);
    }
    TEGU_DEVICE void leave(unsigned level) {
        Count* const count = counts.at(level);
        const unsigned after = *count - 1u;
        sum -= differences[after];
        *count = static_cast<Count>(after);
    }
    // Both at once: their loads do not wait for each other.
    TEGU_DEVICE void exchange(unsigned out, unsigned in) {
        if (out == in) return;
        Count *const from = counts.at(out), *const to = counts.at(in);
        const unsigned less = *from - 1u, before = *to;
        sum += differences[before] - differences[less];
        *from = static_cast<Count>(less);
        *to = static_cast<Count>(before + 1);
    }
};

// entropy_map_slide: windows that follow down a column, one a thread.
// in:    plane, tables                          out: map of the piece
// grid:  x = columns / threads, y = strips      block: shape.threads
// shared: differences [n_max] u32, histograms of all threads      result valid in: map, after the launch
// moves: reads the plane from the caches 2 * window.cols times, writes 4 B a result      order: any
// why:   a step down costs 2 * window.cols updates, however many levels and rows there are
template <class Count>
TEGU_KERNEL TEGU_BOUNDS(512) entropy_map_slide(SlideArrays arrays) {
    TEGU_DYNAMIC_SHARED(shared);
    const unsigned n_max = arrays.window.rows * arrays.window.cols;
    std::uint32_t* const differences = reinterpret_cast<std::uint32_t*>(shared);
    for (unsigned n = thread_index(); n < n_max; n += block_threads()) differences[n] = arrays.tables.differences[n];
    block_barrier();
    const std::uint32_t col = block_x() * block_threads() + thread_index();
    if (col >= arrays.cols) return;

    Window<Count> window;
    window.counts.words = shared + (n_max + thread_index()) * 4;
    window.counts.pitch = block_threads() * 4;
    window.counts.clear(arrays.window.levels);
    window.differences = differences;
    window.sum = 0;
    const std::uint32_t left = arrays.first_col + col, right = left + arrays.window.cols;
    const std::uint32_t first = left > arrays.inside.col_begin ? left : arrays.inside.col_begin;
    const std::uint32_t last = right < arrays.inside.col_end ? right : arrays.inside.col_end;
    const unsigned across = last - first;
    const std::uint8_t* const column = arrays.plane.levels + first;
    const std::size_t pitch = arrays.plane.pitch;

    const std::uint32_t begin = block_y() * arrays.strip_rows;
    const std::uint32_t end = begin + arrays.strip_rows < arrays.rows ? begin + arrays.strip_rows : arrays.rows;
    std::uint32_t top = begin > arrays.inside.row_begin ? begin : arrays.inside.row_begin;  // rows [top, bottom) of the plane are in the window
    std::uint32_t bottom = begin + arrays.window.rows < arrays.inside.row_end ? begin + arrays.window.rows : arrays.inside.row_end;
    for (std::uint32_t row = top; row < bottom; ++row)
        for (unsigned i = 0; i < across; ++i) window.enter(column[row * pitch + i]);

    EntropyFinish finish;
    unsigned pixels = 0;
    for (std::uint32_t row = begin;; ++row) {
        if ((bottom - top) * across != pixels) {
            pixels = (bottom - top) * across;
            finish.set(arrays.tables, pixels);
        }
        arrays.map[row * arrays.map_cols + col] = finish.of(window.sum);
        if (row + 1 == end) return;
        const bool leaves = row >= arrays.inside.row_begin, enters = row + arrays.window.rows < arrays.inside.row_end;
        const std::uint8_t* const out = column + top * pitch;
        const std::uint8_t* const in = column + bottom * pitch;
        if (leaves && enters) {
            for (unsigned i = 0; i < across; ++i) window.exchange(out[i], in[i]);
        } else if (enters) {
            for (unsigned i = 0; i < across; ++i) window.enter(in[i]);
        } else if (leaves) {
            for (unsigned i = 0; i < across; ++i) window.leave(out[i]);
        }
        top += leaves ? 1 : 0;
        bottom += enters ? 1 : 0;
    }
}

// The columns of the image that the windows of a piece touch, and a bit for each of them and each row of results.
struct NanColumns {
    std::uint32_t* bits;  // [rows, words]
    std::uint64_t first, end;  // columns of the image
    std::uint64_t words;       // of a row
};

NanColumns nan_columns_of(const EntropyMapImage& image, const EntropyWindow& window, const EntropyPiece& piece, std::uint32_t* bits) {
    const std::uint64_t half = window.cols / 2;
    NanColumns columns;
    columns.bits = bits;
    columns.first = piece.col_begin > half ? piece.col_begin - half : 0;
    columns.end = piece.col_end + half < image.cols ? piece.col_end + half : image.cols;
    columns.words = divide_up(columns.end - columns.first, kWarpLanes);
    return columns;
}

// entropy_nan_columns: which columns have a NaN in the rows of a window.
// in:    x of the image                         out: columns.bits, a bit for each column that windows of the piece touch, for each row of the piece
// grid:  x over the columns, y over strips of rows          block: kPlaneThreads
// shared: none                                  result valid in: columns.bits, after the launch
// moves: reads the pixels twice                 order: any
// why:   mirrored pixels lie in every window that meets their mirror images, so the border does not matter
template <class T>
TEGU_KERNEL TEGU_BOUNDS(kPlaneThreads) entropy_nan_columns(EntropyMapImage image, EntropyPiece piece, NanColumns columns, unsigned window_rows, std::uint64_t strip_rows) {
    const std::uint64_t col = columns.first + std::uint64_t{block_x()} * block_threads() + thread_index();
    const bool inside = col < columns.end;
    const T* const pixels = static_cast<const T*>(image.x) + (inside ? col : columns.first);
    const std::uint64_t half = window_rows / 2;
    const std::uint64_t begin = piece.row_begin + block_y() * strip_rows;
    const std::uint64_t end = begin + strip_rows < piece.row_end ? begin + strip_rows : piece.row_end;
    const std::uint64_t word = (col - columns.first) / kWarpLanes;
    std::uint64_t bottom = begin > half ? begin - half : 0;  // rows up to here are counted
    int nans = 0;
    for (std::uint64_t row = begin; row < end; ++row) {
        const std::uint64_t below = row + half + 1 < image.rows ? row + half + 1 : image.rows;
        for (; bottom < below; ++bottom) nans += inside && is_nan(pixels[bottom * image.row_stride]) ? 1 : 0;
        const std::uint32_t seen = warp_ballot(nans > 0);
        if (lane_index() == 0 && word < columns.words) columns.bits[(row - piece.row_begin) * columns.words + word] = seen;
        if (row >= half) nans -= inside && is_nan(pixels[(row - half) * image.row_stride]) ? 1 : 0;
    }
}

// entropy_nan_results: results whose window's columns hold a NaN.
// in:    columns.bits                           out: map of the piece, where it becomes NaN
// grid:  x over the columns of the piece, y strides over its rows        block: kPlaneThreads
// shared: none                                  result valid in: map, after the launch
// moves: reads a few bits a result              order: any
// why:   a window of 63 columns lies in three words of bits
TEGU_KERNEL TEGU_BOUNDS(kPlaneThreads) entropy_nan_results(EntropyMapImage image, EntropyPiece piece, NanColumns columns, unsigned window_cols) {
    const std::uint64_t col = piece.col_begin + std::uint64_t{block_x()} * block_threads() + thread_index();
    if (col >= piece.col_end) return;
    const std::uint64_t half = window_cols / 2;
    const std::uint64_t begin = (col > half ? col - half : 0) - columns.first;
    const std::uint64_t end = (col + half + 1 < image.cols ? col + half + 1 : image.cols) - columns.first;
    for (std::uint64_t row = piece.row_begin + block_y(); row < piece.row_end; row += grid_y()) {
        const std::uint32_t* const bits = columns.bits + (row - piece.row_begin) * columns.words;
        std::uint32_t seen = 0;
        for (std::uint64_t word = begin / kWarpLanes; word * kWarpLanes < end; ++word) {
            std::uint32_t mask = kAllLanes;
            if (word == begin / kWarpLanes) mask &= kAllLanes << begin % kWarpLanes;
            if ((word + 1) * kWarpLanes > end) mask &= (1u << end % kWarpLanes) - 1u;
            seen |= bits[word] & mask;
        }
        if (seen != 0) image.map[row * image.cols + col] = bit_cast<float>(kFloatNan);
    }
}

template <class T>
LaunchStatus launch_levels(const EntropyMapImage& image, const Plane& plane, bool mirror, Stream stream) {
    const std::uint64_t words = std::uint64_t{plane.pitch / 4} * plane.rows;
    const std::uint64_t blocks = divide_up(words, 2 * kPlaneThreads);
    return launch(entropy_map_levels<T>, LaunchShape{static_cast<unsigned>(blocks), 1, kPlaneThreads, 0}, stream, image, plane, mirror);
}

LaunchStatus launch_plane(const EntropyMapImage& image, const Plane& plane, bool mirror, Stream stream) {
    switch (image.type) {
#define TEGU_X(number, Name, word, type) \
    case ElementType::Name: return launch_levels<type>(image, plane, mirror, stream);
        TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
    }
    return 0;
}

Inside inside_of(const EntropyMapImage& image, const EntropyWindow& window, const Plane& plane) {
    if (window.mirror) return Inside{0, plane.rows, 0, plane.cols};
    const auto begin_of = [](std::int64_t begin) { return begin < 0 ? static_cast<std::uint32_t>(-begin) : 0; };
    const auto end_of = [](std::int64_t begin, std::uint32_t extent, std::uint64_t n) {
        const std::int64_t end = static_cast<std::int64_t>(n) - begin;
        return end > extent ? extent : static_cast<std::uint32_t>(end);
    };
    return Inside{begin_of(plane.top), end_of(plane.top, plane.rows, image.rows), begin_of(plane.left), end_of(plane.left, plane.cols, image.cols)};
}

LaunchStatus launch_slide(const EntropyMapImage& image, const EntropyWindow& window, const EntropyTables& tables, const EntropyPiece& piece,
                          const EntropyMapShape& shape, const Plane& plane, Stream stream) {
    SlideArrays arrays;
    arrays.plane = plane;
    arrays.window = window;
    arrays.tables = tables;
    arrays.inside = inside_of(image, window, plane);
    arrays.first_col = left_of(window) - window.cols / 2;
    arrays.rows = static_cast<std::uint32_t>(piece.row_end - piece.row_begin);
    arrays.cols = static_cast<std::uint32_t>(piece.col_end - piece.col_begin);
    arrays.strip_rows = shape.strip_rows;
    arrays.map = image.map + piece.row_begin * image.cols + piece.col_begin;
    arrays.map_cols = image.cols;
    const LaunchShape grid{static_cast<unsigned>(divide_up(arrays.cols, shape.threads)), static_cast<unsigned>(divide_up(arrays.rows, shape.strip_rows)),
                           shape.threads, shape.shared_bytes};
    if (window.rows * window.cols <= kMaxByteCount) return launch(entropy_map_slide<std::uint8_t>, grid, stream, arrays);
    return launch(entropy_map_slide<std::uint16_t>, grid, stream, arrays);
}

// What pixels are there, counted from the first result of a piece, in one direction.
std::int32_t limited(std::int64_t distance) {
    constexpr std::int64_t kFar = 1 << 30;
    return static_cast<std::int32_t>(distance < -kFar ? -kFar : distance > kFar ? kFar : distance);
}

LaunchStatus launch_pairs(const EntropyMapImage& image, const EntropyWindow& window, const EntropyTables& tables, const EntropyPiece& piece,
                          const EntropyMapShape& shape, const Plane& plane, Stream stream) {
    const auto row = static_cast<std::int64_t>(piece.row_begin), col = static_cast<std::int64_t>(piece.col_begin);
    PairsArrays arrays;
    arrays.tables = tables;
    arrays.rows = static_cast<std::int32_t>(piece.row_end - piece.row_begin);
    arrays.cols = static_cast<std::int32_t>(piece.col_end - piece.col_begin);
    arrays.strip_rows = static_cast<std::int32_t>(shape.strip_rows);
    arrays.map = image.map + piece.row_begin * image.cols + piece.col_begin;
    arrays.map_row_bytes = static_cast<std::int32_t>(image.cols * sizeof(float));
    arrays.nan_seen = image.nan_seen;
    if (!shape.plane) {
        arrays.x = static_cast<const unsigned char*>(image.x) + (piece.row_begin * image.row_stride + piece.col_begin) * element_bytes(image.type);
        arrays.row_bytes = static_cast<std::int32_t>(image.row_stride * element_bytes(image.type));
        arrays.row_begin = limited(-row);
        arrays.row_end = limited(static_cast<std::int64_t>(image.rows) - row);
        arrays.col_begin = limited(-col);
        arrays.col_end = limited(static_cast<std::int64_t>(image.cols) - col);
        arrays.mirror = window.mirror;
        arrays.rule = image.rule;
        return launch_entropy_pairs(image.type, arrays, window, shape.threads, stream);
    }
    const Inside inside = inside_of(image, window, plane);
    const auto first_row = static_cast<std::int32_t>(window.rows / 2), first_col = static_cast<std::int32_t>(left_of(window));
    arrays.x = plane.levels + static_cast<std::size_t>(first_row) * plane.pitch + first_col;
    arrays.row_bytes = static_cast<std::int32_t>(plane.pitch);
    arrays.row_begin = static_cast<std::int32_t>(inside.row_begin) - first_row;
    arrays.row_end = static_cast<std::int32_t>(inside.row_end) - first_row;
    arrays.col_begin = static_cast<std::int32_t>(inside.col_begin) - first_col;
    arrays.col_end = static_cast<std::int32_t>(inside.col_end) - first_col;
    arrays.mirror = false;
    arrays.rule = LevelRule{false, 256, 0, 0, 0, 0};  // every byte is its own level
    return launch_entropy_pairs(ElementType::U8, arrays, window, shape.threads, stream);
}

// --- shapes ---------------------------------------------------------------------------------------------------------------

std::size_t slide_bytes(const EntropyWindow& window, unsigned threads) {
    const unsigned pixels = window.rows * window.cols;
    const std::size_t per_word = pixels <= kMaxByteCount ? 4 : 2;
    return 4 * (pixels + (window.levels + per_word - 1) / per_word * threads);
}

// Instructions that a result costs a lane, roughly.
std::uint64_t cost_of(const EntropyWindow& window, EntropyMapMethod method) {
    return method == EntropyMapMethod::Pairs ? 80 : 60 + 25 * window.cols;
}

void set_piece(const EntropyMapImage& image, const EntropyWindow& window, std::uint64_t pixels, EntropyMapShape* shape) {
    constexpr std::uint64_t kRows = 64;  // of a piece of a wide image
    const std::uint64_t rows = image.rows < kRows ? image.rows : kRows;
    const std::uint64_t most_cols = pixels / rows > 0 ? pixels / rows : 1;
    shape->piece_cols = image.cols < most_cols ? image.cols : most_cols;
    const std::uint64_t most_rows = pixels / shape->piece_cols > 0 ? pixels / shape->piece_cols : 1;
    shape->piece_rows = image.rows < most_rows ? image.rows : most_rows;
    shape->plane_bytes = 0;
    if (!shape->plane) return;
    const auto plane_rows = [&] { return shape->piece_rows + window.rows - 1; };
    const std::uint64_t fitting_rows = kMaxPlaneBytes / pitch_of(shape->piece_cols, window);
    if (plane_rows() > fitting_rows && fitting_rows > 2 * window.rows) shape->piece_rows = fitting_rows - window.rows + 1;
    const std::uint64_t fitting_cols = kMaxPlaneBytes / plane_rows() / kPlaneAlignment * kPlaneAlignment - 2 * left_of(window);
    if (shape->piece_cols > fitting_cols) shape->piece_cols = fitting_cols;
    shape->plane_bytes = static_cast<std::size_t>(plane_rows() * pitch_of(shape->piece_cols, window));
}

// Long enough for the first window of a strip to cost little, short enough for the device to be full.
unsigned strip_of(const EntropyMapShape& shape, const EntropyWindow& window, unsigned threads_across, const DeviceLimits& limits) {
    const std::uint64_t wanted_threads = std::uint64_t{2} * limits.multiprocessors * limits.threads_per_multiprocessor;
    const std::uint64_t strips = divide_up(wanted_threads, threads_across);
    const std::uint64_t least = window.rows > 16 ? window.rows : 16, most = 8 * least;
    const std::uint64_t even = divide_up(shape.piece_rows, strips);
    return static_cast<unsigned>(even < least ? least : even > most ? most : even);
}

}  // namespace

EntropyMapShape entropy_map_shape(const EntropyMapImage& image, const EntropyWindow& window, const EntropyMapPolicy& policy, const DeviceLimits& limits) {
    constexpr std::uint64_t kLaneInstructions = 500000000;  // of a multiprocessor in a launch: five milliseconds of the slowest board
    EntropyMapShape shape;
    const bool pairs = entropy_pairs_supports(window) && image.cols <= kPairsRowBytes / sizeof(float) && policy.method != EntropyMapMethod::Slide;
    shape.method = pairs ? EntropyMapMethod::Pairs : EntropyMapMethod::Slide;
    const bool mirrors_once = !window.mirror || (image.rows >= kPairsMirrorExtent && image.cols >= kPairsMirrorExtent);
    shape.plane = !pairs || !entropy_pairs_reads(image.type) || !mirrors_once || image.row_stride > kPairsRowBytes / element_bytes(image.type);
    shape.threads = policy.threads_per_block;
    while (!pairs && shape.threads > kWarpLanes && slide_bytes(window, shape.threads) > limits.shared_bytes_per_block) shape.threads -= kWarpLanes;
    shape.shared_bytes = pairs ? entropy_pairs_bytes(window) : slide_bytes(window, shape.threads);
    const std::uint64_t bounded = kLaneInstructions * limits.multiprocessors / cost_of(window, shape.method);
    set_piece(image, window, policy.piece_pixels != 0 ? policy.piece_pixels : bounded, &shape);
    const unsigned across = static_cast<unsigned>(pairs ? divide_up(shape.piece_cols, kPairsColumns) : shape.piece_cols);
    shape.strip_rows = policy.rows_per_strip != 0 ? policy.rows_per_strip : strip_of(shape, window, across, limits);
    const std::uint64_t least = divide_up(shape.piece_rows, kMaxGridY);
    if (shape.strip_rows < least) shape.strip_rows = static_cast<unsigned>(least);
    return shape;
}

LaunchStatus launch_entropy_map(const EntropyMapImage& image, const EntropyWindow& window, const EntropyTables& tables, const EntropyPiece& piece,
                                const EntropyMapShape& shape, std::uint8_t* memory, Stream stream) {
    const Plane plane = plane_of(window, piece, memory);
    if (shape.plane) {
        const LaunchStatus filled = launch_plane(image, plane, window.mirror, stream);
        if (filled != 0) return filled;
    }
    if (shape.method == EntropyMapMethod::Slide) return launch_slide(image, window, tables, piece, shape, plane, stream);
    return launch_pairs(image, window, tables, piece, shape, plane, stream);
}

std::size_t entropy_nan_bytes(const EntropyWindow& window, const EntropyPiece& piece) {
    const std::uint64_t words = divide_up(piece.col_end - piece.col_begin + window.cols - 1, kWarpLanes);
    return static_cast<std::size_t>(words * (piece.row_end - piece.row_begin) * 4);
}

LaunchStatus launch_entropy_nans(const EntropyMapImage& image, const EntropyWindow& window, const EntropyPiece& piece, std::uint32_t* bits,
                                 const DeviceLimits& limits, Stream stream) {
    const NanColumns columns = nan_columns_of(image, window, piece, bits);
    const std::uint64_t rows = piece.row_end - piece.row_begin;
    const auto blocks_of = [](std::uint64_t cols) { return static_cast<unsigned>(divide_up(cols, kPlaneThreads)); };
    const unsigned across = blocks_of(columns.end - columns.first);
    const std::uint64_t wanted = divide_up(std::uint64_t{8} * limits.multiprocessors, across);
    std::uint64_t strip = divide_up(rows, wanted < kMaxGridY ? wanted : kMaxGridY);
    if (strip < 64) strip = 64;
    const LaunchShape by_columns{across, static_cast<unsigned>(divide_up(rows, strip)), kPlaneThreads, 0};
    LaunchStatus done = 0;
    if (image.type == ElementType::F16) done = launch(entropy_nan_columns<Half>, by_columns, stream, image, piece, columns, window.rows, strip);
    if (image.type == ElementType::F32) done = launch(entropy_nan_columns<float>, by_columns, stream, image, piece, columns, window.rows, strip);
    if (image.type == ElementType::F64) done = launch(entropy_nan_columns<double>, by_columns, stream, image, piece, columns, window.rows, strip);
    if (done != 0) return done;
    const LaunchShape by_results{blocks_of(piece.col_end - piece.col_begin), static_cast<unsigned>(rows < kMaxGridY ? rows : kMaxGridY), kPlaneThreads, 0};
    return launch(entropy_nan_results, by_results, stream, image, piece, columns, window.cols);
}

}  // namespace cuda
}  // namespace tegu
