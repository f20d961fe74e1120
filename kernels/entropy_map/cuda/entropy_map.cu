// SPDX-License-Identifier: Apache-2.0
// The pieces and the method of an entropy map, and the launches of a piece.
#include "kernels/entropy_map/cuda/entropy_map.h"

#include "kernels/entropy_map/cuda/columns.h"
#include "kernels/entropy_map/cuda/pairs.h"
#include "kernels/entropy_map/cuda/plane.h"
#include "kernels/entropy_map/cuda/quads.h"
#include "kernels/entropy_map/cuda/slide.h"

namespace tegu {
namespace cuda {
namespace {

constexpr std::uint64_t kMaxPlaneBytes = std::uint64_t{256} << 20;
// of a multiprocessor in a launch: five milliseconds on the slowest board
constexpr std::uint64_t kLaneInstructions = 500000000;
constexpr std::uint64_t kMaxPiecePixels = std::uint64_t{1} << 29;
// each row costs at least a word of bits if there are NaN
constexpr std::uint64_t kMaxPieceRows = std::uint64_t{1} << 24;
constexpr unsigned kWarp = 32;
constexpr unsigned kMaxGridY = 65535;
constexpr unsigned kSlideThreads = 512;

// A bound of the existing pixels in one direction, relative to the first result of a piece.
std::int32_t limited(std::int64_t distance) {
    constexpr std::int64_t kFar = (1 << 30) - 1;  // twice that fits 32 bits
    return static_cast<std::int32_t>(distance < -kFar ? -kFar : distance > kFar ? kFar : distance);
}

LaunchStatus launch_pairs(const EntropyMapJob& job, const EntropyPiece& piece, const EntropyPlane& plane,
                          Stream stream) {
    const auto row = static_cast<std::int64_t>(piece.row_begin),
               col = static_cast<std::int64_t>(piece.col_begin);
    PairsArrays arrays;
    arrays.tables = job.tables;
    arrays.rows = static_cast<std::int32_t>(piece.row_end - piece.row_begin);
    arrays.cols = static_cast<std::int32_t>(piece.col_end - piece.col_begin);
    arrays.strip_rows = static_cast<std::int32_t>(job.shape.strip_rows);
    arrays.map = job.image.map + piece.row_begin * job.image.cols + piece.col_begin;
    arrays.map_row_bytes = static_cast<std::int32_t>(job.image.cols * sizeof(float));
    arrays.nan_seen = job.image.nan_seen;
    if (!job.shape.plane) {
        arrays.x = static_cast<const unsigned char*>(job.image.x) +
                   (piece.row_begin * job.image.row_stride + piece.col_begin) * element_bytes(job.image.type);
        arrays.row_bytes = static_cast<std::int32_t>(job.image.row_stride * element_bytes(job.image.type));
        arrays.row_begin = limited(-row);
        arrays.row_end = limited(static_cast<std::int64_t>(job.image.rows) - row);
        arrays.col_begin = limited(-col);
        arrays.col_end = limited(static_cast<std::int64_t>(job.image.cols) - col);
        arrays.mirror = job.window.mirror;
        arrays.rule = job.image.rule;
        return launch_entropy_pairs(job.image.type, arrays, job, stream);
    }
    const auto first_row = static_cast<std::int32_t>(job.window.rows / 2),
               first_col = static_cast<std::int32_t>(plane_left(job.window));
    arrays.x = plane.levels + static_cast<std::size_t>(first_row) * plane.pitch + first_col;
    arrays.row_bytes = static_cast<std::int32_t>(plane.pitch);
    arrays.row_begin = static_cast<std::int32_t>(plane.row_begin) - first_row;
    arrays.row_end = static_cast<std::int32_t>(plane.row_end) - first_row;
    arrays.col_begin = static_cast<std::int32_t>(plane.col_begin) - first_col;
    arrays.col_end = static_cast<std::int32_t>(plane.col_end) - first_col;
    arrays.mirror = false;
    arrays.rule = LevelRule{false, 256, 0, 0, 0, 0};  // every byte is its own level
    return launch_entropy_pairs(ElementType::U8, arrays, job, stream);
}

// Approximate instructions of a lane for a result.
std::uint64_t cost_of(const EntropyWindow& window, EntropyMapMethod method) {
    switch (method) {
        case EntropyMapMethod::Pairs: return 100;
        case EntropyMapMethod::Columns: return 4 * window.levels + 200;
        case EntropyMapMethod::Quads: return 40 + 10 * window.cols;
        default: return 60 + 20 * window.cols;
    }
}

// Makes pieces above each other equally high.
void even_rows(const EntropyMapImage& image, EntropyMapShape* shape) {
    shape->piece_rows = ceil_divide(image.rows, ceil_divide(image.rows, shape->piece_rows));
}

void set_piece(const EntropyMapImage& image, const EntropyWindow& window, std::uint64_t pixels,
               EntropyMapShape* shape) {
    constexpr std::uint64_t kRows = 64;  // rows of a piece of a wide image
    const std::uint64_t rows = image.rows < kRows ? image.rows : kRows;
    const std::uint64_t max_cols = pixels / rows > 0 ? pixels / rows : 1;
    shape->piece_cols = image.cols < max_cols ? image.cols : max_cols;
    std::uint64_t max_rows = pixels / shape->piece_cols > 0 ? pixels / shape->piece_cols : 1;
    if (max_rows > kMaxPieceRows) max_rows = kMaxPieceRows;
    shape->piece_rows = image.rows < max_rows ? image.rows : max_rows;
    shape->plane_bytes = 0;
    if (shape->method == EntropyMapMethod::Quads && !shape->plane) {  // whole words
        shape->piece_cols = shape->piece_cols / kQuadsColumns * kQuadsColumns;
        if (shape->piece_cols == 0) shape->piece_cols = kQuadsColumns;
    }
    if (!shape->plane) return even_rows(image, shape);
    // Lower pieces if many rows fit, else narrower pieces.
    const auto plane_rows = [&] { return shape->piece_rows + window.rows - 1; };
    const std::uint64_t fitting_rows = kMaxPlaneBytes / plane_pitch(shape->piece_cols, window);
    if (plane_rows() > fitting_rows && fitting_rows > 2 * window.rows)
        shape->piece_rows = fitting_rows - window.rows + 1;
    else if (plane_rows() > fitting_rows)
        shape->piece_cols = kMaxPlaneBytes / plane_rows() / 16 * 16 - 2 * plane_left(window);
    even_rows(image, shape);
    shape->plane_bytes = static_cast<std::size_t>(plane_rows() * plane_pitch(shape->piece_cols, window));
}

// Dynamic shared memory of a block whose size the method chooses by it; 0: pairs.
std::size_t shared_bytes(const EntropyWindow& window, const EntropyMapShape& shape, unsigned threads) {
    switch (shape.method) {
        case EntropyMapMethod::Slide: return entropy_slide_bytes(window, shape.columns, threads);
        case EntropyMapMethod::Columns: return entropy_columns_bytes(window, threads);
        case EntropyMapMethod::Quads: return entropy_quads_bytes(window, threads);
        default: return 0;
    }
}

// Approximate number of blocks that a multiprocessor holds at once.
unsigned resident_blocks(const EntropyWindow& window, const EntropyMapShape& shape, unsigned threads,
                         const DeviceLimits& limits) {
    constexpr unsigned kRegisterThreads = 1024;
    const unsigned by_registers =
        shape.method == EntropyMapMethod::Columns ? kColumnsResident : kRegisterThreads;
    const unsigned max =
        by_registers < limits.threads_per_multiprocessor ? by_registers : limits.threads_per_multiprocessor;
    std::size_t blocks = max / threads;
    const std::size_t bytes = shared_bytes(window, shape, threads),
                      reserved = reserved_shared_bytes(limits.compute_capability);
    if (bytes != 0) {
        const std::size_t fitting = (limits.shared_bytes_per_block + reserved) / (bytes + reserved);
        if (fitting < blocks) blocks = fitting;
    }
    return blocks > 0 ? static_cast<unsigned>(blocks) : 1;
}

// The most resident threads that shared memory allows, in the largest blocks for that.
unsigned sliding_threads(const EntropyWindow& window, const EntropyMapShape& shape, unsigned max,
                         const DeviceLimits& limits) {
    unsigned best = kWarp, resident = 0;
    for (unsigned threads = max; threads >= kWarp; threads -= kWarp) {
        if (threads > kWarp && shared_bytes(window, shape, threads) > limits.shared_bytes_per_block) continue;
        const unsigned together = resident_blocks(window, shape, threads, limits) * threads;
        if (together <= resident) continue;
        best = threads;
        resident = together;
    }
    return best;
}

// Results side by side of a block; of a warp where those of a block may lie in different strips.
unsigned across_of(const EntropyMapShape& shape) {
    switch (shape.method) {
        case EntropyMapMethod::Pairs: return shape.threads / kWarp * kPairsWarpResults;
        case EntropyMapMethod::Columns: return shape.columns;  // of a warp
        default: return shape.threads * shape.columns;         // Slide, Quads
    }
}

// The blocks that keep the most warps in progress on a multiprocessor; of the same number, the smallest.
unsigned columns_threads(const EntropyWindow& window, unsigned max, const DeviceLimits& limits) {
    constexpr unsigned kMaxBlocks = 4;
    const std::size_t reserved = reserved_shared_bytes(limits.compute_capability);
    const unsigned limit = entropy_columns_threads(window),
                   most = max < limit / 4 ? 4 * max / kWarp * kWarp : limit;
    unsigned best = kWarp, resident = 0;
    for (unsigned blocks = 1; blocks <= kMaxBlocks; ++blocks) {
        const std::size_t shared = (limits.shared_bytes_per_block + reserved) / blocks - reserved;
        const unsigned fitting = kColumnsResident / blocks / kWarp * kWarp;
        unsigned threads = most < fitting ? most : fitting;
        while (threads > kWarp && entropy_columns_bytes(window, threads) > shared) threads -= kWarp;
        if (entropy_columns_bytes(window, threads) > shared || blocks * threads < resident) continue;
        best = threads;
        resident = blocks * threads;
    }
    return best;
}

// Threads of blocks side by side whose warps all have results, nearly the same number in each. A narrow image
// takes one block across, so that few blocks fill tables.
unsigned pairs_threads(const EntropyMapImage& image, unsigned max) {
    const std::uint64_t warps = ceil_divide(image.cols, kPairsWarpResults),
                        most = (max < kPairsThreads ? max : kPairsThreads) / kWarp,
                        blocks = warps <= 2 * most && warps <= kPairsThreads / kWarp
                                     ? 1
                                     : ceil_divide(warps, most);
    return static_cast<unsigned>(ceil_divide(warps, blocks) * kWarp);
}

// The cost of Columns hardly depends on the window; the cost of Slide grows with its columns. Above a number
// of columns, Columns is faster, except for noise in windows of up to 23 columns with many levels.
bool prefers_columns(const EntropyWindow& window, const EntropyMapPolicy& policy,
                     const DeviceLimits& limits) {
    const bool can = entropy_columns_bytes(window, kWarp) <= limits.shared_bytes_per_block;
    if (!can || policy.method == EntropyMapMethod::Slide) return false;
    return policy.method == EntropyMapMethod::Columns || window.cols >= (window.levels > 32 ? 17 : 13);
}

// Quads need shared memory for enough threads to hide the time of its accesses. Of large windows with few
// levels, others are faster.
bool prefers_quads(const EntropyWindow& window, const EntropyMapPolicy& policy, const DeviceLimits& limits) {
    if (policy.method == EntropyMapMethod::Slide || policy.method == EntropyMapMethod::Columns) return false;
    if (policy.method != EntropyMapMethod::Quads && window.rows > 9 && window.levels <= 32) return false;
    const unsigned enough = policy.method == EntropyMapMethod::Quads ? kWarp : 4 * kWarp;
    return entropy_quads_supports(window) &&
           entropy_quads_bytes(window, enough) <= limits.shared_bytes_per_block;
}

// Many levels leave shared memory for few threads with several columns each. More threads with one column
// each are faster.
bool prefers_single_columns(const EntropyWindow& window, const EntropyMapPolicy& policy) {
    return policy.columns_per_thread == 1 || window.levels > 96;
}

// Strips that fill the device a whole number of times and are long enough that their first windows cost
// little. With too few rows for that, strips that fill it once, but not so short that first windows dominate.
unsigned strip_of(const EntropyWindow& window, const EntropyMapShape& shape, const DeviceLimits& limits) {
    const std::uint64_t long_enough = shape.method == EntropyMapMethod::Quads   ? 60
                                      : shape.method == EntropyMapMethod::Pairs ? 32
                                      : window.rows < 11                        ? 64
                                                                                : 6 * window.rows,
                        min = shape.method == EntropyMapMethod::Pairs ? 1
                              : window.rows < 16                      ? 8
                                                                      : window.rows / 2;
    const std::uint64_t across = ceil_divide(shape.piece_cols, across_of(shape));
    const std::uint64_t resident =
        std::uint64_t{limits.multiprocessors} * resident_blocks(window, shape, shape.threads, limits);
    const std::uint64_t waves = shape.piece_rows * across / (resident * long_enough);
    const std::uint64_t strips = (waves > 0 ? waves : 1) * resident / across;
    const std::uint64_t rows = ceil_divide(shape.piece_rows, strips > 0 ? strips : 1);
    return static_cast<unsigned>(rows < min ? min : rows < 8 * long_enough ? rows : 8 * long_enough);
}

// The same for Columns, where a strip is the work of a warp. Of several numbers of waves, the fastest.
unsigned columns_strip(const EntropyWindow& window, const EntropyMapShape& shape,
                       const DeviceLimits& limits) {
    constexpr unsigned kMaxWaves = 8;
    const std::uint64_t across = ceil_divide(shape.piece_cols, shape.columns),
                        resident = std::uint64_t{limits.multiprocessors} * (shape.threads / kWarp) *
                                   resident_blocks(window, shape, shape.threads, limits),
                        first_rows = ceil_divide(window.rows, 3),  // as long as those before the first result
        min = window.rows < 16 ? 8 : window.rows / 2;
    std::uint64_t best = shape.piece_rows, least = ~std::uint64_t{0};
    for (unsigned waves = 1; waves <= kMaxWaves; ++waves) {
        const std::uint64_t strips = waves * resident / across > 0 ? waves * resident / across : 1;
        const std::uint64_t fitting = ceil_divide(shape.piece_rows, strips),
                            rows = fitting < min ? min : fitting;
        const std::uint64_t warps = across * ceil_divide(shape.piece_rows, rows),
                            time = ceil_divide(warps, resident) * (rows + first_rows);
        if (time >= least) continue;
        least = time;
        best = rows;
    }
    return static_cast<unsigned>(best);
}

}  // namespace

EntropyMapShape entropy_map_shape(const EntropyMapImage& image, const EntropyWindow& window,
                                  const EntropyMapPolicy& policy, const DeviceLimits& limits) {
    EntropyMapShape shape;
    const bool free_method =
        policy.method == EntropyMapMethod::Chosen || policy.method == EntropyMapMethod::Pairs;
    const bool pairs =
        entropy_pairs_supports(window) && image.cols <= kPairsRowBytes / sizeof(float) && free_method;
    const bool quads = !pairs && prefers_quads(window, policy, limits);
    const bool columns = !pairs && !quads && prefers_columns(window, policy, limits);
    const bool mirrors_once =
        !window.mirror || (image.rows >= kPairsMirrorExtent && image.cols >= kPairsMirrorExtent);
    shape.method = pairs     ? EntropyMapMethod::Pairs
                   : quads   ? EntropyMapMethod::Quads
                   : columns ? EntropyMapMethod::Columns
                             : EntropyMapMethod::Slide;
    shape.plane = quads ? !entropy_quads_read(image, window)
                        : !pairs || !entropy_pairs_reads(image.type) || !mirrors_once ||
                              image.row_stride > kPairsRowBytes / element_bytes(image.type);
    const bool single = quads || prefers_single_columns(window, policy);
    const unsigned wanted = !single || policy.threads_per_block > kSlideThreads / 4
                                ? policy.threads_per_block
                                : 4 * policy.threads_per_block,
                   max = quads && wanted > kQuadsThreads ? kQuadsThreads : wanted;
    shape.columns = pairs || quads ? kPairsColumns : single ? 1 : entropy_slide_columns(window, limits);
    if (columns) shape.columns = entropy_columns_across(window);
    shape.threads = pairs     ? pairs_threads(image, policy.threads_per_block)
                    : columns ? columns_threads(window, policy.threads_per_block, limits)
                              : sliding_threads(window, shape, max, limits);
    // A block takes as long for few columns as for all its columns.
    const std::uint64_t across = across_of(shape), wide = image.cols < across ? image.cols : across;
    std::uint64_t bounded = policy.piece_pixels != 0 ? policy.piece_pixels
                                                     : kLaneInstructions * limits.multiprocessors /
                                                           cost_of(window, shape.method) * wide / across;
    if (columns && policy.piece_pixels == 0) {  // a multiprocessor with few warps is slower
        constexpr unsigned kEnough = 12 * kWarp;
        const unsigned resident = shape.threads * resident_blocks(window, shape, shape.threads, limits);
        if (resident < kEnough) bounded = bounded * resident / kEnough;
    }
    set_piece(image, window, bounded < kMaxPiecePixels ? bounded : kMaxPiecePixels, &shape);
    shape.strip_rows = policy.rows_per_strip != 0 ? policy.rows_per_strip
                       : columns                  ? columns_strip(window, shape, limits)
                                                  : strip_of(window, shape, limits);
    const std::uint64_t min = ceil_divide(shape.piece_rows, kMaxGridY);
    if (shape.strip_rows < min) shape.strip_rows = static_cast<unsigned>(min);
    return shape;
}

LaunchStatus launch_entropy_map(const EntropyMapJob& job, const EntropyPiece& piece, std::uint8_t* memory,
                                Stream stream) {
    const EntropyPlane plane = entropy_plane(job.image, job.window, piece, memory);
    if (job.shape.plane) {
        const LaunchStatus filled = launch_entropy_plane(job.image, plane, job.window.mirror, stream);
        if (filled != 0) return filled;
    }
    switch (job.shape.method) {
        case EntropyMapMethod::Slide: return launch_entropy_slide(job, piece, plane, stream);
        case EntropyMapMethod::Columns: return launch_entropy_columns(job, piece, plane, stream);
        case EntropyMapMethod::Quads: return launch_entropy_quads(job, piece, plane, stream);
        default: return launch_pairs(job, piece, plane, stream);
    }
}

}  // namespace cuda
}  // namespace tegu
