// SPDX-License-Identifier: Apache-2.0
// topk on the GPU backend beyond the common jobs: every method by policies that force it, sizes around blocks
// and packs, gaps and addresses, values that repeat, lie in order or are all equal, and cuts that are bad.
#include <algorithm>
#include <cstring>

#include "kernels/operation_cuda.h"
#include "kernels/selection/cuda/run.h"
#include "kernels/selection/cuda/sample_position.cuh"
#include "kernels/topk/cuda/topk.h"
#include "tests/kernels/cuda/cuda_test.h"
#include "tests/kernels/cuda/patterns.h"

namespace tegu::test {
namespace {

using cuda::SelectionPolicy;
using testing_support::Content;
using testing_support::DigestShape;

// {block_threads, room, sample, block_elements, filter_threads, waves, sort_tile, slice, warp_results,
// piece_pairs}
const SelectionPolicy kPolicies[] = {
    cuda::kDefaultSelectionPolicy,
    {64, 64, 64, 100, 64, 1, 256, 8, 0, 50},      // cuts and sorts of nearly everything, in small slices
    {96, 128, 200, 128, 32, 3, 512, 40, 0, 300},  // samples and slices that are no power of two
    {32, 32, 32, 2000, 32, 1, 256, 1000, 256, 1 << 22},  // blocks of one warp that narrow long segments
    {256, 256, 16, 256, 128, 2, 1024, 64, 7, 100},       // samples too small to be right
    {256, 64, 512, 100, 64, 2, 256, 32, 0, 200},         // samples of two blocks
};

constexpr ElementType kAllTypes[] = {
#define TEGU_X(number, Name, word, type) ElementType::Name,
    TEGU_ELEMENT_TYPES(TEGU_X)
#undef TEGU_X
};

// Elements as value(i) says, of a type of 4 bytes.
template <class Value>
TestInput words(ElementType type, std::uint64_t n, Value value) {
    TestInput input = input_of(type, {1, n, 0, 0}, 1);
    for (std::uint64_t i = 0; i < n; ++i) {
        const auto bits = static_cast<std::uint32_t>(value(i));
        std::memcpy(input.bytes.data() + 4 * i, &bits, sizeof bits);
    }
    return input;
}

class CudaTopk : public CudaTest {
  protected:
    testing::AssertionResult same(ElementType type, const DigestShape& shape, const TestInput& input,
                                  const TopkParams& params, Axis axis = Axis::Whole) {
        set_thread_order(++order_);
        const testing::AssertionResult result =
            same_on_both(context_, Job{type, axis, shape.rows, shape.cols, params}, {input});
        if (result) return result;
        const SelectionPolicy& policy = context_.policies.selection;
        return testing::AssertionFailure()
               << result.message() << "; " << element_word(type) << ", " << shape.rows << " x " << shape.cols
               << ", k " << params.k << (params.largest ? ", largest" : ", smallest")
               << (params.distinct ? ", distinct" : "") << ", room " << policy.capacity << ", sample "
               << policy.sample << ", order of threads " << order_;
    }
    // The policy of the report.
    std::string method(const DigestShape& shape, const TestInput& input, const TopkParams& params,
                       ElementType type = ElementType::U32) {
        const DeviceBytes memory(input.bytes), values(4 * params.k), indices(8 * params.k), counts(8);
        const kernels::InputView view{memory.data(), shape.cols};
        const kernels::OutputView outputs[] = {{values.data()}, {indices.data()}, {counts.data()}};
        const auto done = run_on_device(Job{type, Axis::Whole, shape.rows, shape.cols, params}, {&view, 1},
                                        {outputs, params.distinct ? 3u : 2u}, context_, kernels::StopToken());
        if (!done) return done.error().message;
        const std::string cut(done->policy.find("cut"));
        return std::string(done->policy.find("method")) + (cut.empty() ? "" : " " + cut);
    }
    cuda::GroupedSample groups(std::uint64_t k, std::uint64_t n) const {
        const SelectionPolicy& policy = context_.policies.selection;
        const unsigned threads = cuda::filter_threads_of(policy, context_.limits);
        return cuda::choose_groups(k, n, threads, policy, context_.limits);
    }
    // Stores a word of 4 bytes wherever a sample of `size` looks.
    static void mislead(std::uint64_t size, std::uint32_t word, TestInput* input) {
        const std::uint64_t n = input->bytes.size() / 4;
        for (std::uint64_t number = 0; number < size; ++number)
            std::memcpy(input->bytes.data() + 4 * cuda::sample_index(number, n, size), &word, sizeof word);
    }
    std::uint64_t order_ = 0;
};

TEST_F(CudaTopk, EverySizeAndPolicyGivesTheSameBits) {
    for (const SelectionPolicy& policy : kPolicies) {
        context_.policies.selection = policy;
        for (const std::uint64_t n : {1, 2, 31, 32, 33, 64, 65, 127, 255, 256, 257, 1023, 1025, 2049}) {
            const DigestShape shape{1, n, 0, 0};
            for (const ElementType type :
                 {ElementType::I8, ElementType::F16, ElementType::I32, ElementType::F64}) {
                const TestInput input =
                    input_of(type, shape, n, n % 2 == 0 ? Content::Special : Content::Plain);
                for (const std::uint64_t k : {std::uint64_t{1}, (n + 9) / 10, n}) {
                    ASSERT_TRUE(same(type, shape, input, TopkParams{k, order_ % 4 < 2, order_ % 2 == 0}));
                }
            }
        }
    }
}

TEST_F(CudaTopk, EveryTypeAndContentGivesTheSameBits) {
    const DigestShape shape{1, 2111, 0, 0};
    for (const SelectionPolicy& policy : kPolicies) {
        context_.policies.selection = policy;
        for (const ElementType type : kAllTypes) {
            for (const Content content : {Content::Plain, Content::Wide, Content::Special, Content::Ties}) {
                const TestInput input = input_of(type, shape, 17, content);
                ASSERT_TRUE(same(type, shape, input, TopkParams{25, order_ % 2 == 0, false}));
            }
            const TestInput ties = input_of(type, shape, 18, Content::Ties);
            ASSERT_TRUE(same(type, shape, ties, TopkParams{300, order_ % 2 == 0, false}));
            ASSERT_TRUE(same(type, shape, ties, TopkParams{3, order_ % 2 == 0, true}));
        }
    }
}

TEST_F(CudaTopk, RowsAndGapsAndOddAddressesGiveTheSameBits) {
    for (const SelectionPolicy& policy : kPolicies) {
        context_.policies.selection = policy;
        for (const DigestShape& shape :
             {DigestShape{9, 53, 3, 1}, DigestShape{5, 300, 1, 8}, DigestShape{3, 1111, 0, 2}}) {
            for (const ElementType type :
                 {ElementType::U8, ElementType::F16, ElementType::F32, ElementType::I64}) {
                const TestInput input = input_of(type, shape, 5, Content::Special);
                for (const Axis axis : {Axis::Whole, Axis::Rows}) {
                    ASSERT_TRUE(same(type, shape, input, TopkParams{20, order_ % 3 == 0, false}, axis));
                    ASSERT_TRUE(
                        same(type, shape, input, TopkParams{51, order_ % 3 == 0, order_ % 2 == 0}, axis));
                }
            }
        }
    }
}

// Values for which methods that look at digits, samples or the order of elements do most work.
TEST_F(CudaTopk, AdversarialValuesGiveTheSameBits) {
    const std::uint64_t n = 4000;
    const DigestShape shape{1, n, 0, 0};
    const TestInput inputs[] = {
        words(ElementType::U32, n, [](std::uint64_t) { return 7; }),
        words(ElementType::U32, n, [](std::uint64_t i) { return i; }),
        words(ElementType::U32, n, [&](std::uint64_t i) { return n - i; }),
        words(ElementType::U32, n, [](std::uint64_t i) { return i % 3 == 0 ? 1 : 0; }),
        words(ElementType::U32, n,
              [](std::uint64_t i) { return i == 3999 ? 0xffffffffu
                                           : i == 0  ? 0
                                                     : 0x80000000u + i % 2; }),
        words(ElementType::U32, n, [](std::uint64_t i) { return 1u << i % 32; }),
        words(ElementType::U32, n,
              [](std::uint64_t i) { return i < 3900 ? 5 : 1000 + i % 7; }),  // all that is best at the end
    };
    for (const SelectionPolicy& policy : kPolicies) {
        context_.policies.selection = policy;
        for (const TestInput& input : inputs) {
            for (const ElementType type : {ElementType::U32, ElementType::I32, ElementType::F32}) {
                ASSERT_TRUE(same(type, shape, input, TopkParams{10, true, false}));
                ASSERT_TRUE(same(type, shape, input, TopkParams{60, false, false}));
            }
            ASSERT_TRUE(same(ElementType::U32, shape, input, TopkParams{1000, true, false}));
            ASSERT_TRUE(same(ElementType::U32, shape, input, TopkParams{40, true, true}));
        }
    }
}

// Cuts among values that are equal though their bits differ, and among those that no comparison of floats
// tells apart.
TEST_F(CudaTopk, CutsAtSpecialFloatsGiveTheSameBits) {
    const std::uint32_t special[] = {0x7fc00000, 0xffc00001, 0x7f800000, 0xff800000, 0,
                                     0x80000000, 1,          0x80000001, 0x3f800000, 0xbf800000};
    const std::uint64_t n = 2003;
    const DigestShape shape{1, n, 0, 0};
    for (const std::size_t policy : {1, 5}) {
        context_.policies.selection = kPolicies[policy];
        for (const std::uint32_t often : special) {
            for (const std::uint32_t seldom : special) {
                const TestInput input =
                    words(ElementType::F32, n, [&](std::uint64_t i) { return i % 50 == 7 ? seldom : often; });
                for (const bool largest : {false, true})
                    for (const std::uint64_t k : {2, 45})
                        ASSERT_TRUE(same(ElementType::F32, shape, input, TopkParams{k, largest, false}));
            }
        }
    }
}

// Samples in groups, whatever lies where; so much of what is best in few groups that the cut has to be looser
// than it could be, and more of it than of anything else.
TEST_F(CudaTopk, SamplesInGroupsGiveTheSameBits) {
    const std::uint64_t n = 9000;
    const DigestShape shape{1, n, 0, 0};
    context_.policies.selection = {256, 256, 2048, 256, 96, 2, 1024, 64, 0, 1 << 22};
    for (const std::uint64_t k : {1, 3, 40, 255}) {
        const cuda::GroupedSample sample = groups(k, n);
        ASSERT_GT(sample.each, 1u);
        for (const unsigned good_groups : {0u, 1u, 5u, sample.groups}) {
            for (const bool tied : {false, true}) {
                TestInput input =
                    words(ElementType::U32, n, [&](std::uint64_t i) { return i * 2654435761u >> 8; });
                for (std::uint32_t number = 0; number < sample.size(); ++number) {
                    const std::uint32_t good = 0xfffff000u + (tied ? 0 : number % 1000);
                    if (number % sample.groups < good_groups)
                        std::memcpy(input.bytes.data() + 4 * cuda::sample_index(number, n, sample.size()),
                                    &good, 4);
                }
                for (const ElementType type : {ElementType::U32, ElementType::I32, ElementType::F32})
                    ASSERT_TRUE(same(type, shape, input, TopkParams{k, order_ % 5 != 0, false}))
                        << good_groups;
            }
        }
    }
    for (const ElementType type : kAllTypes) {
        for (const Content content : {Content::Plain, Content::Special, Content::Ties}) {
            const TestInput input = input_of(type, shape, 19, content);
            for (const std::uint64_t k : {2, 200})
                ASSERT_TRUE(same(type, shape, input, TopkParams{k, order_ % 2 == 0, false}));
        }
    }
}

// The filter samples by itself where it has blocks enough, and rows have a board each. Blocks that begin late
// find their groups sampled by others.
TEST_F(CudaTopk, FiltersThatSampleGiveTheSameBits) {
    context_.policies.selection = {64, 64, 512, 100, 64, 1, 256, 16, 0, 1 << 22};
    for (const unsigned multiprocessors : {1u, 16u, 200u}) {
        context_.limits.multiprocessors = multiprocessors;
        for (const DigestShape& shape : {DigestShape{1, 20011, 0, 1}, DigestShape{3, 6007, 0, 0}}) {
            const Axis axis = shape.rows == 1 ? Axis::Whole : Axis::Rows;
            for (const ElementType type :
                 {ElementType::U8, ElementType::F16, ElementType::I32, ElementType::F32, ElementType::F64}) {
                for (const Content content : {Content::Plain, Content::Special, Content::Ties}) {
                    const TestInput input = input_of(type, shape, 23, content);
                    for (const std::uint64_t k : {1, 9, 64})
                        ASSERT_TRUE(same(type, shape, input, TopkParams{k, order_ % 3 != 0, false}, axis))
                            << multiprocessors << " multiprocessors";
                }
            }
        }
        const cuda::KeySegments in{{nullptr, 1, 20011, 20011, 20011, 20011}, 0, 4, false};
        EXPECT_EQ(cuda::filter_samples(in, groups(9, 20011), context_.config(context_.policies.selection)),
                  multiprocessors == 200);
    }
}

// A sample that holds all that is best promises more than there is: the cut must be found by counting.
TEST_F(CudaTopk, SampleThatIsBetrayedIsReplacedByCounting) {
    const std::uint64_t n = 4000;
    const DigestShape shape{1, n, 0, 0};
    context_.policies.selection = {64, 64, 64, 100, 64, 1, 256, 16, 0, 100};
    for (const bool ties : {false, true}) {
        TestInput input =
            words(ElementType::U32, n, [&](std::uint64_t i) { return ties ? 5 : i * 2654435761u >> 8; });
        mislead(64, 0xfffffff0u, &input);
        mislead(groups(40, n).size(), 0xfffffff0u, &input);
        for (const std::uint64_t k : {40, 100}) {
            const TopkParams params{k, true, false};
            ASSERT_TRUE(same(ElementType::U32, shape, input, params));
            EXPECT_EQ(method(shape, input, params), k == 40 ? "cut counted" : "cut+sort counted");
        }
    }
    // The best value there is, in the sample and then late: too few are before the cut's index.
    TestInput late = words(ElementType::U32, n, [](std::uint64_t i) { return i < 512 ? 5 : 0; });
    mislead(groups(40, n).size(), 0, &late);
    ASSERT_TRUE(same(ElementType::U32, shape, late, TopkParams{40, false, false}));
    EXPECT_EQ(method(shape, late, TopkParams{40, false, false}), "cut counted");
}

// Bytes of an image, more and more of them saturated: the list has room for whatever the sample calls a good
// cut.
TEST_F(CudaTopk, AStepBehindTheCutNeedsNoOther) {
    const std::uint64_t n = 60000;
    const DigestShape shape{1, n, 0, 0};
    for (const std::uint64_t saturated : {240, 250, 255, 262, 270, 290}) {  // of 1000
        TestInput input{std::vector<std::byte>(n), 0, n};
        for (std::uint64_t i = 0; i < n; ++i)
            input.bytes[i] = std::byte(i * 7919 % 1000 < saturated ? 255 : i * 31 % 255);
        const TopkParams params{12000, true, false};
        ASSERT_TRUE(same(ElementType::U8, shape, input, params)) << saturated;
        if (is_slow()) {
            EXPECT_EQ(method(shape, input, params, ElementType::U8), "buckets") << saturated;
        }
    }
}

// A sample so small that its cut is no cut: all survive, and slices of them are looked for in the range of
// all keys of the type.
TEST_F(CudaTopk, CutsBehindAllKeysGiveTheSameBits) {
    context_.policies.selection = kPolicies[4];
    for (const std::uint64_t n : {257, 300, 700}) {
        const DigestShape shape{1, n, 0, 0};
        for (const ElementType type : kAllTypes) {
            for (const Content content : {Content::Plain, Content::Wide, Content::Special}) {
                const TestInput input = input_of(type, shape, n, content);
                for (const bool largest : {false, true})
                    ASSERT_TRUE(same(type, shape, input,
                                     TopkParams{std::min<std::uint64_t>((n + 1) / 2, 255), largest, false}));
            }
        }
        // Many of -infinity, which no comparison of floats tells from what lies behind it.
        const TestInput low = words(ElementType::F32, n,
                                    [](std::uint64_t i) { return i % 3 != 0 ? 0xff800000u : 0x3f800000u; });
        const std::uint64_t k = std::min<std::uint64_t>((n + 1) / 2, 255);
        ASSERT_TRUE(same(ElementType::F32, shape, low, TopkParams{k, true, false}));
        EXPECT_EQ(method(shape, low, TopkParams{k, true, false}, ElementType::F32), "cut");
    }
}

// Nothing is better than what is everywhere: no key lies before that of the cut, and what survives behind
// its index is too much.
TEST_F(CudaTopk, ManyOfTheBestValueThereIsGiveTheSameBits) {
    const std::uint64_t n = 9000;
    const DigestShape shape{1, n, 0, 0};
    context_.policies.selection = {256, 256, 2048, 256, 32, 2, 1024, 64, 0, 1 << 22};
    for (const ElementType type : kAllTypes) {
        for (const Pattern pattern : {Pattern::Least, Pattern::Greatest}) {
            const TestInput input = make_pattern(type, pattern, shape, 1);
            for (const bool largest : {false, true})
                ASSERT_TRUE(same(type, shape, input, TopkParams{256, largest, false}))
                    << pattern_word(pattern);
        }
    }
    const TestInput zeros = words(ElementType::U32, n, [](std::uint64_t) { return 0; });
    EXPECT_EQ(method(shape, zeros, TopkParams{256, false, false}), "cut");
}

// Rows that a warp or a block holds, and rows that a block reads once behind a bound from a sample.
TEST_F(CudaTopk, RowsOfEveryLengthGiveTheSameBits) {
    for (const std::uint64_t cols : {100, 128, 257, 512, 513, 1000, 1024, 1025, 4096, 8192, 9001, 20000}) {
        const DigestShape shape{3, cols, cols % 3, 1};
        for (const ElementType type :
             {ElementType::U8, ElementType::F16, ElementType::F32, ElementType::I64}) {
            for (const Content content : {Content::Plain, Content::Special, Content::Ties}) {
                const TestInput input = input_of(type, shape, cols, content);
                for (const std::uint64_t k : {std::uint64_t{1}, std::uint64_t{6}, cols / 64, cols / 8})
                    ASSERT_TRUE(same(type, shape, input, TopkParams{k, order_ % 2 == 0, false}, Axis::Rows));
            }
        }
    }
}

// Rows whose best lie together, in order, or are all equal: too many pass a bound.
TEST_F(CudaTopk, RowsThatMisleadABoundGiveTheSameBits) {
    for (const std::uint64_t cols : {120, 1000, 4096, 12000}) {
        const DigestShape shape{3, cols, 0, 0};
        const auto of = [&](unsigned kind, std::uint64_t i) -> std::uint64_t {
            const std::uint64_t at = i % cols;
            return kind == 0   ? 7
                   : kind == 1 ? at
                   : kind == 2 ? cols - at
                   : kind == 3 ? (at < cols / 4 ? 0x3f800000u + at % 5 : at)
                   : kind == 4 ? at % 2
                   : kind == 5 ? ~std::uint64_t{0}
                               : 0x7fffff00u + at * 2654435761u % 300;
        };
        for (unsigned kind = 0; kind < 7; ++kind) {
            const TestInput all =
                words(ElementType::U32, 3 * cols, [&](std::uint64_t i) { return of(kind, i); });
            const TestInput input{all.bytes, 0, cols};
            for (const ElementType type : {ElementType::U32, ElementType::I32, ElementType::F32})
                for (const bool largest : {false, true})
                    for (const std::uint64_t k : {std::uint64_t{5}, cols / 70 + 1, cols / 9})
                        ASSERT_TRUE(same(type, shape, input, TopkParams{k, largest, false}, Axis::Rows))
                            << kind;
        }
    }
}

// Values that repeat are dropped on the way; where there are too many different ones after all, everything is
// sorted.
TEST_F(CudaTopk, DistinctValuesOfLongSegmentsGiveTheSameBits) {
    const std::uint64_t n = 4000;
    const DigestShape shape{1, n, 0, 0};
    for (const SelectionPolicy& policy : kPolicies) {
        context_.policies.selection = policy;
        for (const std::uint64_t different : {1, 5, 60, 700, 4000}) {
            const TestInput input = words(ElementType::U32, n, [&](std::uint64_t i) {
                return (i * 2654435761u >> 7) % different * 0x10001u;
            });
            for (const ElementType type : {ElementType::U32, ElementType::F32}) {
                for (const std::uint64_t k : {1, 8, 16, 40})
                    ASSERT_TRUE(same(type, shape, input, TopkParams{k, order_ % 3 != 0, true})) << different;
            }
        }
    }
    context_.policies.selection = {64, 256, 512, 100, 64, 1, 256, 8, 0, 100};
    TestInput input = words(ElementType::U32, n, [&](std::uint64_t i) { return i * 2654435761u >> 8; });
    ASSERT_TRUE(same(ElementType::U32, shape, input, TopkParams{33, true, true}));
    EXPECT_EQ(method(shape, input, TopkParams{33, true, true}), "distinct");
    mislead(512, 0xfffffff0u, &input);
    ASSERT_TRUE(same(ElementType::U32, shape, input, TopkParams{33, true, true}));
    EXPECT_EQ(method(shape, input, TopkParams{33, true, true}), "sort");
    EXPECT_EQ(method(shape, input, TopkParams{32, true, true}), "distinct");
}

// Sorts of one tile and of several, in one launch and in one for each tile. Digits that all keys share,
// digits with one value but for one key, survivors that lie together.
TEST_F(CudaTopk, SortsOfSeveralTilesGiveTheSameBits) {
    if (is_slow()) context_.limits.shared_bytes_per_block = 128 << 10;
    const auto mixed = [](std::uint64_t i) { return static_cast<std::uint32_t>(i * 2654435761u); };
    for (const std::uint64_t n : {1023, 1025, 2049, 4097, 8191, 8193, 17000}) {
        const DigestShape shape{1, n, 0, 0};
        const TestInput inputs[] = {
            words(ElementType::U32, n, mixed),
            words(ElementType::U32, n, [](std::uint64_t) { return 0x12345678; }),
            words(ElementType::U32, n, [&](std::uint64_t i) { return mixed(i) >> 24; }),
            words(ElementType::U32, n, [&](std::uint64_t i) { return mixed(i) & 0x00ff0000u; }),
            words(ElementType::U32, n, [&](std::uint64_t i) { return mixed(i) & 0xff0000ffu; }),
            words(ElementType::U32, n, [](std::uint64_t i) { return i == 1000 ? 0xffffffffu : 0; }),
            words(ElementType::U32, n, [&](std::uint64_t i) { return n - i; }),
            words(ElementType::U32, n, [](std::uint64_t i) { return i; }),
        };
        for (const std::uint64_t piece : {1 << 22, 100}) {
            // sorts of everything, and of the survivors of loose cuts
            for (const unsigned sample : {16, 1024}) {
                context_.policies.selection = {64, 64, sample, 100, 64, 1, 8192, 16, 0, piece};
                for (const TestInput& input : inputs) {
                    const std::uint64_t k = sample == 16 ? n - order_ % 2 : n / 8;
                    ASSERT_TRUE(same(ElementType::U32, shape, input, TopkParams{k, order_ % 3 != 0, false}));
                    ASSERT_TRUE(same(ElementType::F32, shape, input, TopkParams{k, order_ % 3 != 0, false}));
                    // Buckets do not suit rows with gaps.
                    ASSERT_TRUE(same(ElementType::U32, {2, n / 2 - 1, 0, 1}, {input.bytes, 0, n / 2},
                                     TopkParams{n / 8, order_ % 3 != 0, false}));
                }
            }
            ASSERT_TRUE(same(ElementType::U32, shape, inputs[2], TopkParams{n, order_ % 3 != 0, true}));
            ASSERT_TRUE(same(ElementType::U32, shape, inputs[0], TopkParams{n / 2, order_ % 3 != 0, true}));
            for (const ElementType type : {ElementType::U8, ElementType::F16, ElementType::I64})
                for (const std::uint64_t k : {n / 8, n})
                    ASSERT_TRUE(same(type, shape, input_of(type, shape, n, Content::Ties),
                                     TopkParams{k, order_ % 3 != 0, order_ % 2 == 0}));
        }
    }
}

// As many different values as the fast way takes, and one more; the worst key there is among them or not.
TEST_F(CudaTopk, FewAndManyDistinctValuesGiveTheSameBits) {
    const std::uint64_t n = 20000;
    const DigestShape shape{1, n, 0, 0};
    context_.policies.selection = {256, 256, 1024, 256, 128, 2, 1024, 64, 0, 1 << 22};
    for (const std::uint32_t different : {1, 31, 32, 33, 5000}) {
        for (const std::uint32_t step : {0x10001u, ~0u / different}) {
            TestInput input = words(ElementType::U32, n, [&](std::uint64_t i) {
                return (i * 2654435761u >> 7) % different * step;
            });
            const std::uint32_t worst[] = {0, 0xffffffffu};
            std::memcpy(input.bytes.data() + 4 * 777, worst + order_ % 2, 4);
            for (const ElementType type : {ElementType::U32, ElementType::I32, ElementType::F32})
                for (const std::uint64_t k : {1, 31, 32, 33})
                    for (const bool largest : {false, true})
                        ASSERT_TRUE(same(type, shape, input, TopkParams{k, largest, true}))
                            << different << " values";
        }
        for (const ElementType type : {ElementType::U8, ElementType::I16, ElementType::F64})
            ASSERT_TRUE(same(type, shape, input_of(type, shape, different, Content::Ties),
                             TopkParams{32, order_ % 2 == 0, true}));
    }
}

}  // namespace
}  // namespace tegu::test
