// SPDX-License-Identifier: Apache-2.0
// What the ways to select the k largest cost, as tab-separated values for scripts/plot-topk.py: lists by
// insertion, a heap, a bound from a sample, digits (radix select), and what tegu does. The first four are
// written here as plainly as they are usually meant, with the same result: 64-bit entries of key and index,
// best first. One thread; processor time, the least of three runs.
#include <time.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "kernels/operation.h"

namespace {

using Entries = std::vector<std::uint64_t>;
using Elements = std::vector<std::int32_t>;

constexpr std::uint64_t kTooLong = 400000000;  // moves of an insertion beyond which it is left out

std::uint32_t key_of(std::int32_t value) {
    return static_cast<std::uint32_t>(value) ^ 0x7fffffffu;
}
std::uint64_t entry_of(std::int32_t value, std::size_t index) {
    return std::uint64_t{key_of(value)} << 32 | index;
}

Entries by_insertion(const Elements& elements, std::size_t k) {
    Entries list;
    list.reserve(k + 1);
    for (std::size_t i = 0; i < elements.size(); ++i) {
        const std::uint64_t entry = entry_of(elements[i], i);
        if (list.size() == k && entry > list.back()) continue;
        list.insert(std::upper_bound(list.begin(), list.end(), entry), entry);
        if (list.size() > k) list.pop_back();
    }
    return list;
}

Entries by_heap(const Elements& elements, std::size_t k) {
    Entries heap;
    for (std::size_t i = 0; i < k; ++i) heap.push_back(entry_of(elements[i], i));
    std::make_heap(heap.begin(), heap.end());
    for (std::size_t i = k; i < elements.size(); ++i) {
        const std::uint64_t entry = entry_of(elements[i], i);
        if (entry > heap.front()) continue;
        std::pop_heap(heap.begin(), heap.end());
        heap.back() = entry;
        std::push_heap(heap.begin(), heap.end());
    }
    std::sort_heap(heap.begin(), heap.end());
    return heap;
}

// All within the bound, sorted; at least k of them.
Entries best_within(const Elements& elements, std::uint32_t bound, std::size_t k) {
    Entries found;
    for (std::size_t i = 0; i < elements.size(); ++i)
        if (key_of(elements[i]) <= bound) found.push_back(entry_of(elements[i], i));
    if (found.size() > k) {
        std::nth_element(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(k), found.end());
        found.resize(k);
    }
    std::sort(found.begin(), found.end());
    return found;
}

Entries by_radix(const Elements& elements, std::size_t k) {
    std::uint32_t bound = 0;
    std::size_t wanted = k;
    for (int shift = 24; shift >= 0; shift -= 8) {
        std::size_t counts[256] = {};
        for (const std::int32_t value : elements)
            if (std::uint64_t{key_of(value) ^ bound} >> shift < 256) ++counts[key_of(value) >> shift & 255];
        std::uint32_t digit = 0;
        while (counts[digit] < wanted) wanted -= counts[digit++];
        bound |= digit << shift;
    }
    return best_within(elements, bound, k);
}

std::uint64_t scramble(std::uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

// One place of each stretch, as kernels/topk/cpu/selector.cpp samples; its places differ from process to
// process, these are fixed.
std::vector<std::size_t> places_of_sample(std::size_t n, std::size_t count) {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < count; ++i) places.push_back(i * (n / count) + scramble(i) % (n / count));
    return places;
}

Entries by_sample(const Elements& elements, std::size_t k) {
    const std::size_t size = std::min<std::size_t>(8192, elements.size() / 64);
    std::vector<std::uint32_t> sample;
    for (const std::size_t place : places_of_sample(elements.size(), size))
        sample.push_back(key_of(elements[place]));
    std::sort(sample.begin(), sample.end());
    const std::size_t place = k * size / elements.size() + 8 + 4 * k * size / elements.size() / 64;
    const std::uint32_t bound = place < size ? sample[place] : ~std::uint32_t{0};
    std::size_t within = 0;
    for (const std::int32_t value : elements) within += key_of(value) <= bound ? 1 : 0;
    return within < k ? by_radix(elements, k) : best_within(elements, bound, k);
}

Entries by_tegu(const Elements& elements, std::size_t k, bool distinct, std::string& policy) {
    tegu::Job job;
    job.type = tegu::ElementType::I32;
    job.cols = elements.size();
    tegu::TopkParams params;
    params.k = k;
    params.distinct = distinct;
    job.params = params;
    static std::vector<std::int32_t> values;
    static std::vector<std::int64_t> indices;
    values.resize(std::max(values.size(), k));
    indices.resize(std::max(indices.size(), k));
    std::uint64_t filled = k;
    const tegu::kernels::InputView input{reinterpret_cast<const std::byte*>(elements.data()),
                                         elements.size()};
    const tegu::kernels::OutputView outputs[] = {{reinterpret_cast<std::byte*>(values.data())},
                                                 {reinterpret_cast<std::byte*>(indices.data())},
                                                 {reinterpret_cast<std::byte*>(&filled)}};
    const auto report = tegu::kernels::run_job(
        job, tegu::Span<const tegu::kernels::InputView>(&input, 1),
        tegu::Span<const tegu::kernels::OutputView>(outputs, distinct ? 3 : 2), nullptr, {});
    policy = report->policy.find("method");
    return {entry_of(values[0], static_cast<std::size_t>(indices[0])),
            entry_of(values[k - 1], static_cast<std::size_t>(indices[k - 1]))};
}

// docs/topk.md says what they are.
const char* const kData[] = {"uniform", "ascending", "descending", "equal",     "few16",
                             "few1000", "fourfold",  "frequent",   "misleading"};

Elements make(const std::string& data, std::size_t n) {
    std::mt19937 random(1);
    Elements elements(n);
    for (std::int32_t& value : elements) value = static_cast<std::int32_t>(random());
    if (data == "ascending" || data == "descending") std::sort(elements.begin(), elements.end());
    if (data == "descending") std::reverse(elements.begin(), elements.end());
    if (data == "equal") std::fill(elements.begin(), elements.end(), 7);
    if (data == "few16")
        for (std::int32_t& value : elements) value &= 0x0f000000;
    if (data == "few1000")
        for (std::int32_t& value : elements)
            value = static_cast<std::int32_t>(static_cast<std::uint32_t>(value) % 1000);
    if (data == "fourfold")
        for (std::int32_t& value : elements)
            value = static_cast<std::int32_t>(static_cast<std::uint32_t>(value) %
                                              static_cast<std::uint32_t>(n / 4));
    if (data == "frequent")
        for (std::size_t i = 0; i < n / 250; ++i)
            elements[random() % n] = std::numeric_limits<std::int32_t>::max() - 1000;
    // Against the places of the sample: what stands there says nothing of the rest.
    if (data == "misleading")
        for (const std::size_t size :
             {std::min<std::size_t>(8192, n / 64), std::min<std::size_t>(32768, n / 64)})
            for (const std::size_t place : places_of_sample(n, size))
                elements[place] = std::numeric_limits<std::int32_t>::min() + 5;
    return elements;
}

double now() {
    timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_nsec) * 1e-6;
}

template <class Run>
void measure(const std::string& data, std::size_t n, std::size_t k, const char* method,
             const std::string* policy, std::uint64_t last, Run run) {
    double best = 1e300;
    for (int round = 0; round < 3; ++round) {
        const double begin = now();
        const Entries entries = run();
        best = std::min(best, now() - begin);
        if (last != 0 && entries.back() != last)
            std::fprintf(stderr, "%s differs: %s n=%zu k=%zu\n", method, data.c_str(), n, k);
        if (best > 300) break;
    }
    std::printf("%s\t%zu\t%zu\t%s\t%.4f\t%s\n", data.c_str(), n, k, method, best,
                policy == nullptr ? "-" : policy->c_str());
    std::fflush(stdout);
}

}  // namespace

// usage: topk_methods [n ...]
int main(int argc, char** argv) {
    double load = 0;
    if (getloadavg(&load, 1) != 1) load = -1;
    std::printf("# with a load of %.2f before\n", load);
    std::printf("data\tn\tk\tmethod\tcpu_ms\ttakes\n");
    for (int i = 1; i < argc; ++i)
        for (const char* data : kData) {
            const std::size_t n = std::stoull(argv[i]);
            const Elements elements = make(data, n);
            for (const std::size_t k :
                 {5ul, 10ul, 20ul, 40ul, 48ul, 96ul, 192ul, 384ul, 1000ul, 10000ul, 65536ul, n / 2}) {
                if (k > n / 2) continue;
                std::string policy;
                const std::uint64_t last = by_tegu(elements, k, false, policy).back();
                measure(data, n, k, "tegu", &policy, last,
                        [&] { return by_tegu(elements, k, false, policy); });
                measure(data, n, k, "distinct", &policy, 0,
                        [&] { return by_tegu(elements, k, true, policy); });
                const std::uint64_t moves = std::string(data) == "ascending" ? n * k : k * k * 8;
                if (moves < kTooLong)
                    measure(data, n, k, "insertion", nullptr, last,
                            [&] { return by_insertion(elements, k); });
                measure(data, n, k, "heap", nullptr, last, [&] { return by_heap(elements, k); });
                measure(data, n, k, "sample", nullptr, last, [&] { return by_sample(elements, k); });
                measure(data, n, k, "radix", nullptr, last, [&] { return by_radix(elements, k); });
            }
        }
    return 0;
}
