// SPDX-License-Identifier: Apache-2.0
// The archives of np.savez and np.savez_compressed: ZIP and ZIP64, members stored or deflated. Every size is
// checked against the file before anything is allocated. Encrypted and divided archives are refused.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "tools/formats/reader.h"

namespace tegu {
namespace formats {

struct ZipMember {
    std::string name;
    bool deflated = false;                      // else stored
    std::uint64_t packed_bytes = 0, bytes = 0;  // in the archive; as the member is
    std::uint32_t crc = 0;                      // of the member as it is
    std::uint64_t header_offset = 0;
};

bool looks_like_zip(std::string_view prefix);

Expected<std::vector<ZipMember>> list_zip(const Reader& file);

// Where the packed bytes begin; they lie inside the file.
Expected<std::uint64_t> data_offset(const Reader& file, const ZipMember& member);

// Gives the bytes of a deflated member to `sink` in order; false from it ends the work. Checks size and CRC
// at the end. REQUIRES: member.deflated.
Expected<void> inflate_member(const Reader& file, const ZipMember& member,
                              const std::function<bool(const char* at, std::size_t bytes)>& sink);

}  // namespace formats
}  // namespace tegu
