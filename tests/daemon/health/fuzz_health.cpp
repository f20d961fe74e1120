// SPDX-License-Identifier: Apache-2.0
// Fuzzes what reads the kernel's text. The first byte chooses a parser, the rest is the content of a file.
// Checked: a value is within its range, and why there is none is said in one printable line.
#include <cmath>

#include "daemon/health/board/board.h"
#include "daemon/health/board/cpu.h"
#include "daemon/health/board/memory.h"
#include "daemon/health/board/thermal.h"
#include "tests/fuzz.h"

namespace {

using namespace tegu::daemon::health;
using tegu::fuzz::require;

bool is_printable(std::string_view text) {
    for (const char c : text)
        if (c < ' ' || c > '~') return false;
    return true;
}

template <class T>
bool known(const Value<T>& value) {
    if (value.known()) return true;
    require(is_printable(value.unknown().detail), "a reason would harm a terminal");
    return false;
}

void check_integer(std::string_view text, Range range, std::string_view unit) {
    const Value<std::int64_t> value = parse_integer(text, range, unit);
    if (known(value)) require(*value >= range.low && *value <= range.high, "a number is out of its range");
}

void check_word(const Value<std::string>& word, std::size_t most) {
    if (known(word)) require(!word->empty() && word->size() <= most && is_printable(*word), "a word is none");
}

void check_share(const Value<double>& share) {
    if (known(share)) require(std::isfinite(*share) && *share >= 0, "a share is no number");
}

void check_pressure(std::string_view text) {
    const Pressure pressure = parse_pressure(text);
    check_share(pressure.some_ratio);
    check_share(pressure.full_ratio);
    check_share(pressure.some_seconds_total);
}

void check_stat(std::string_view text) {
    for (const CpuTicks& core : parse_stat(text))
        require(core.busy <= core.all, "a core was busy for longer than it ran");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size == 0) return 0;
    const std::string_view text(reinterpret_cast<const char*>(data + 1), size - 1);
    switch (data[0] % 12) {
        case 0: check_integer(text, {INT64_MIN, INT64_MAX}, {}); break;
        case 1: check_integer(text, kMillidegrees, {}); break;
        case 2: check_integer(text, kMilliamperes, "ma"); break;
        case 3: check_word(parse_word(text), 128); break;
        case 4: check_word(parse_l4t_release(text), text.size()); break;
        case 5: (void)known(parse_power_mode(text)); break;
        case 6:
            for (const auto& mode : parse_mode_names(text))
                require(is_printable(mode.second), "a mode would harm a terminal");
            break;
        case 7: check_word(parse_soc(text), text.size()); break;
        case 8:
            if (const auto cores = parse_list_size(text); known(cores))
                require(*cores > 0, "a list of no cores");
            break;
        case 9: check_stat(text); break;
        case 10:
            if (const auto bytes = parse_meminfo(text, "MemTotal"); known(bytes))
                require(*bytes >= 0, "less than no memory");
            break;
        default: check_pressure(text); break;
    }
    return 0;
}
