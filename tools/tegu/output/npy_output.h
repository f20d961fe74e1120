// SPDX-License-Identifier: Apache-2.0
// Results as .npy, in full precision: one array plain, several as the named fields of a structured array
// (np.load(f)["sum"]).
#pragma once

#include <optional>
#include <vector>

#include "tools/tegu/job.h"
#include "tools/tegu/output/output_file.h"

namespace tegu {
namespace cli {

// Writes and commits. The arrays have one element of the shape per row, of `cols` values each, unless the
// shape has two dimensions: then one value each. REQUIRES: that all arrays fit `shape`.
Expected<void> write_npy(OutputFile& file, const std::vector<client::Array>& arrays,
                         const std::vector<std::uint64_t>& shape);

// Creates the file of -o.
Expected<void> open_output(const std::string& path, std::optional<OutputFile>& file);

// Refuses three and more dimensions for `what`, which needs rows; null: everything is taken.
Expected<void> require_two_dimensions(const InputHeader& header, const char* what);

}  // namespace cli
}  // namespace tegu
