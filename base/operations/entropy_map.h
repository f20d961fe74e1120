// SPDX-License-Identifier: Apache-2.0
// entropy_map: the Shannon entropy of the window around each pixel. Axis::Whole only.
#pragma once

#include <optional>

#include "base/element_type.h"
#include "base/operations/log_base.h"

namespace tegu {

enum class Border : std::uint8_t {
    Clip = 0,    // the window is cut at the edge of the image
    Mirror = 1,  // the edge pixel included (scipy "reflect", MATLAB "symmetric")
};

inline constexpr const char* kBorderWords[] = {"clip", "mirror"};
constexpr Words words_of(Border) {
    return words(kBorderWords);
}

struct EntropyMapParams {
    std::uint32_t window_rows = 5;
    std::uint32_t window_cols = 5;
    std::uint32_t levels = 16;
    bool has_range = false;
    double lo = 0;
    double hi = 0;  // pixels outside are clamped
    LogBase base = LogBase::Two;
    Border border = Border::Clip;

    static constexpr auto parameters() {
        using P = EntropyMapParams;
        return std::make_tuple(
            Number{"window_rows", &P::window_rows, 3, 63, "odd, 3 to 63", ""},
            Number{"window_cols", &P::window_cols, 3, 63, "odd, 3 to 63", ""},
            Number{"levels", &P::levels, 2, 256, "2 to 256", ""},
            Flag{
                "has_range", &P::has_range,
                "`lo` and `hi` count. Without it they are 0, and the range is that of an integer type, or of "
                "the finite pixels of a float type"},
            Choice{"base", &P::base, "base of the logarithm"},
            Choice{"border", &P::border,
                   "the window is cut at the edge of the image, or the image is mirrored"},
            Edge{"lo", &P::lo, &P::has_range, "lower edge of level 0; finite"},
            Edge{"hi", &P::hi, &P::has_range, "upper edge of the last level; finite, above `lo`"});
    }

    // As halo_rows() of base/job.h.
    std::optional<std::uint64_t> halo_rows(ElementType type) const {
        if (!has_range && is_float(type)) return std::nullopt;
        return window_rows / 2;
    }

    template <class Add>
    void outputs(const JobShape& of, Add&& add) const {
        add(of.elements(), 4);
    }
};

}  // namespace tegu
