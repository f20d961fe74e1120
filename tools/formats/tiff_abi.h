// SPDX-License-Identifier: Apache-2.0
// The functions of libtiff 4 (libtiff.so.5 and .6) that are called, as tiffio.h declares them. A test
// compares both.
#pragma once

#include <cstdarg>
#include <cstdint>

extern "C" {
struct tiff;  // opaque, as in tiffio.h
using TiffSize = std::intptr_t;
using TiffReadOrWrite = TiffSize(void* handle, void* buffer, TiffSize bytes);
using TiffSeek = std::uint64_t(void* handle, std::uint64_t offset, int whence);
using TiffCloseProc = int(void* handle);
using TiffFileSize = std::uint64_t(void* handle);
using TiffMap = int(void* handle, void** base, std::uint64_t* bytes);
using TiffUnmap = void(void* handle, void* base, std::uint64_t bytes);
using TiffHandler = void(const char* module, const char* format, va_list arguments);

using TiffClientOpen = tiff*(const char* name, const char* mode, void* handle, TiffReadOrWrite* read,
                             TiffReadOrWrite* write, TiffSeek* seek, TiffCloseProc* close, TiffFileSize* size,
                             TiffMap* map, TiffUnmap* unmap);
using TiffClose = void(tiff* file);
using TiffGetField = int(tiff* file, std::uint32_t tag, ...);
using TiffIsTiled = int(tiff* file);
using TiffReadEncoded = TiffSize(tiff* file, std::uint32_t block, void* to, TiffSize bytes);
using TiffSetHandler = TiffHandler*(TiffHandler* handler);
}

namespace tegu {
namespace formats {

enum TiffTag : std::uint32_t {
    kTiffImageWidth = 256,
    kTiffImageLength = 257,
    kTiffBitsPerSample = 258,
    kTiffCompression = 259,
    kTiffPhotometric = 262,
    kTiffSamplesPerPixel = 277,
    kTiffRowsPerStrip = 278,
    kTiffPlanarConfig = 284,
    kTiffTileWidth = 322,
    kTiffTileLength = 323,
    kTiffSampleFormat = 339,
};

}  // namespace formats
}  // namespace tegu
