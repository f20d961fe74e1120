// SPDX-License-Identifier: Apache-2.0
// Finds the tiles of a camera's picture whose entropy is the most unusual: a line of JSON for each frame, and
// the most unusual frame as an annotated PNG. Its results are those of camera_anomaly.py.
//   usage: camera_anomaly SOURCE [WIDTHxHEIGHT [PICTURE.png [realtime]]]
#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "annotate.hpp"
#include "frames.hpp"

namespace tc = tegu::client;
using Clock = std::chrono::steady_clock;

namespace {

constexpr std::uint64_t kTop = 3;  // tiles of a frame
constexpr double kMemory = 50;     // frames over which the usual entropy of a tile is averaged

volatile std::sig_atomic_t interrupted = 0;

template <class T>
T value_or_exit(tc::Expected<T> expected) {
    if (expected) return std::move(*expected);
    std::fprintf(stderr, "camera_anomaly: %s: %s\n", expected.error().word(),
                 expected.error().message.c_str());
    std::exit(expected.error().exit_code());
}

// Remembers the usual entropy of each tile.
class Watcher {
  public:
    Watcher(tc::Client& client, Size size)
        : client_(client),
          size_(size),
          map_(value_or_exit(client.create_buffer(size.width * size.height * sizeof(float)))) {}

    // The tiles that differ the most from their usual entropy; in the first frame from the median tile.
    std::vector<Tile> unusual(const tc::Buffer& frame) {
        const std::vector<double> now = tiles(frame);
        if (usual_.empty()) usual_.assign(now.size(), median(now));
        ++seen_;
        std::vector<double> score(now.size());
        for (std::size_t i = 0; i < now.size(); ++i) {
            score[i] = std::abs(now[i] - usual_[i]);
            usual_[i] += (now[i] - usual_[i]) / std::min(seen_, kMemory);
        }
        const tc::Result top =
            value_or_exit(client_.run(tc::Request::topk(score.data(), score.size(), kTop)));
        const tc::Array values = *top.find(TEGU_ROLE_VALUES), indices = *top.find(TEGU_ROLE_INDICES);
        std::vector<Tile> found;
        for (std::uint64_t i = 0; i < kTop; ++i) {
            const auto at = static_cast<std::uint64_t>(indices.number(i));
            const std::uint64_t columns = size_.width / kTile;
            found.push_back(Tile{at % columns * kTile, at / columns * kTile, values.number(i)});
        }
        return found;
    }

  private:
    // The mean entropy of each tile: tegu adds up the runs of kTile pixels, and here come kTile such runs.
    std::vector<double> tiles(const tc::Buffer& frame) {
        tc::Request map = tc::Request::entropy_map(9, 9, 16);
        value_or_exit(client_.run(map.input(frame, TEGU_U8, size_.height, size_.width).into(map_)));
        const std::uint64_t columns = size_.width / kTile;
        tc::Request mean = tc::Request::reduce(TEGU_STAT_MEAN);
        mean.input(map_, TEGU_F32, size_.height * columns, kTile).by_rows();
        const tc::Result runs = value_or_exit(client_.run(mean));
        const double* run = runs.find(tc::role_of(TEGU_STAT_MEAN))->as<double>();
        std::vector<double> found(size_.height / kTile * columns);
        for (std::uint64_t y = 0; y < size_.height; ++y)
            for (std::uint64_t x = 0; x < columns; ++x) found[y / kTile * columns + x] += *run++;
        for (double& each : found) each /= kTile;
        return found;
    }
    static double median(std::vector<double> values) {
        std::sort(values.begin(), values.end());
        return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
    }

    tc::Client& client_;
    const Size size_;
    const tc::Buffer map_;
    std::vector<double> usual_;
    double seen_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
    Size size;
    if (argc < 2 || (argc > 2 && std::sscanf(argv[2], "%lux%lu", &size.width, &size.height) != 2) ||
        size.width == 0 || size.height == 0 || size.width % kTile != 0 || size.height % kTile != 0) {
        std::fprintf(stderr, "usage: %s SOURCE [WIDTHxHEIGHT [PICTURE.png [realtime]]], multiples of %lu\n",
                     argv[0], kTile);
        return 64;
    }
    std::signal(SIGINT, [](int) { interrupted = 1; });
    tc::Client client = value_or_exit(tc::Client::connect());
    std::vector<tc::Buffer> buffers;
    for (int i = 0; i < 3; ++i)
        buffers.push_back(value_or_exit(client.create_buffer(size.width * size.height)));
    Frames frames(argv[1], size, argc > 4, buffers);
    Watcher watcher(client, size);
    std::vector<std::uint8_t> best(size.width * size.height);
    std::vector<Tile> best_tiles;
    std::uint64_t seen = 0;
    while (interrupted == 0) {
        const std::optional<Frame> frame = frames.next();
        if (!frame) break;
        frame->buffer->commit();
        const std::vector<Tile> tiles = watcher.unusual(*frame->buffer);
        if (++seen <= 2 ||
            tiles[0].score > best_tiles[0].score) {  // the first frame only if there is no other
            std::memcpy(best.data(), frame->buffer->data(), best.size());
            best_tiles = tiles;
        }
        const std::chrono::duration<double, std::milli> age = Clock::now() - frame->read_at;
        std::printf("{\"frame\": %lu, \"dropped\": %lu, \"ms\": %.2f, \"tiles\": [", frame->number,
                    frames.dropped(), age.count());
        for (std::size_t i = 0; i < tiles.size(); ++i)
            std::printf("%s{\"x\": %lu, \"y\": %lu, \"score\": %.4f}", i > 0 ? ", " : "", tiles[i].x,
                        tiles[i].y, tiles[i].score);
        std::printf("]}\n");
        std::fflush(stdout);
    }
    if ((!frames.close() && interrupted == 0) || seen == 0)
        return std::fputs("camera_anomaly: no whole frame came\n", stderr), 66;
    return argc <= 3 || annotate(best, size, best_tiles, argv[3]) ? 0 : 73;
}
