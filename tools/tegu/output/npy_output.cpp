// SPDX-License-Identifier: Apache-2.0
#include "tools/tegu/output/npy_output.h"

#include <algorithm>

#include "tools/formats/npy.h"
#include "tools/tegu/output/text.h"

namespace tegu {
namespace cli {
namespace {

constexpr std::size_t kBatchBytes = 1 << 20;

}  // namespace

Expected<void> write_npy(OutputFile& file, const std::vector<client::Array>& arrays,
                         const std::vector<std::uint64_t>& shape) {
    std::uint64_t elements = 1;
    for (const std::uint64_t extent : shape) elements *= extent;
    std::vector<formats::NpyColumn> columns;
    for (const client::Array& array : arrays) {
        const bool per_row = array.rows == 0 && shape.size() == 1;
        const std::uint64_t values = elements != 0 ? array.size() / elements : per_row ? array.cols : 1;
        columns.push_back({arrays.size() == 1 && values == 1 ? "" : array.word(), array.type, values});
    }
    Expected<void> written = file.write(formats::encode_npy_header(columns, shape));
    if (written && arrays.size() == 1) {
        written = file.write(arrays[0].data, arrays[0].bytes());
    } else {
        std::string batch;
        for (std::uint64_t i = 0; written && i < elements; ++i) {
            for (std::size_t a = 0; a < arrays.size(); ++a) {
                const std::size_t bytes = columns[a].values * tegu_element_bytes(columns[a].type);
                batch.append(static_cast<const char*>(arrays[a].data) + i * bytes, bytes);
            }
            if (batch.size() < kBatchBytes && i + 1 < elements) continue;
            written = file.write(batch);
            batch.clear();
        }
    }
    if (!written) return written;
    return file.commit();
}

Expected<void> open_output(const std::string& path, std::optional<OutputFile>& file) {
    Expected<OutputFile> created = OutputFile::create(path);
    if (!created) return created.error();
    file.emplace(std::move(*created));
    return {};
}

Expected<void> require_two_dimensions(const InputHeader& header, const char* what) {
    if (what == nullptr || header.array.shape.size() <= 2) return {};
    return failure(
        kDataError,
        std::string(what) + " needs rows: the input has the shape " + shape_text(header.array.shape), "shape",
        "1 or 2 dimensions");
}

}  // namespace cli
}  // namespace tegu
