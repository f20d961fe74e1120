// SPDX-License-Identifier: Apache-2.0
// Fuzzes archives of arrays. Checked: no read leaves the file, and no member gives more than it announces.
#include "tests/fuzz.h"
#include "tests/tools/text_reader.h"
#include "tools/formats/zip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace tegu::formats;
    using tegu::fuzz::require;
    const Reader reader = text_reader({reinterpret_cast<const char*>(data), size});
    const Expected<std::vector<ZipMember>> members = list_zip(reader);
    if (!members) {
        require(!members.error().message.empty(), "an error that does not help");
        return 0;
    }
    for (const ZipMember& member : *members) {
        const Expected<std::uint64_t> offset = data_offset(reader, member);
        require(!offset || reader.holds(*offset, member.packed_bytes), "a member behind the file");
        if (!member.deflated || member.bytes > 1 << 20) continue;
        std::uint64_t made = 0;
        const Expected<void> done = inflate_member(reader, member, [&made](const char*, std::size_t bytes) {
            made += bytes;
            return true;
        });
        require(made <= member.bytes && (!done || made == member.bytes), "other bytes than announced");
    }
    return 0;
}
