// SPDX-License-Identifier: Apache-2.0
// The functions of libturbojpeg.so.0 that are called, as turbojpeg.h declares them since version 1.5. A test
// compares both.
#pragma once

extern "C" {
using TjInitDecompress = void*();
using TjDestroy = int(void* handle);
using TjDecompressHeader3 = int(void* handle, const unsigned char* file, unsigned long bytes, int* width,
                                int* height, int* subsampling, int* colourspace);
using TjDecompress2 = int(void* handle, const unsigned char* file, unsigned long bytes, unsigned char* pixels,
                          int width, int pitch, int height, int format, int flags);
using TjGetErrorStr = char*();
}

namespace tegu {
namespace formats {

constexpr int kTjGray = 6;             // TJPF_GRAY
constexpr int kTjAccurateDct = 4096;   // TJFLAG_ACCURATEDCT
constexpr int kTjLimitScans = 32768;   // TJFLAG_LIMITSCANS; unknown before 2.1 and ignored there
constexpr int kTjColourspaceYcck = 4;  // TJCS_YCCK; CMYK is 3

}  // namespace formats
}  // namespace tegu
