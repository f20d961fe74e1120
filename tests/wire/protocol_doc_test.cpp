// SPDX-License-Identifier: Apache-2.0
// docs/protocol.md against the code: its lists are the lists of the code, its examples are what the codec
// reads and writes, and every name, offset and width in an example is the one of the table of its message.
#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <sstream>

#include "tests/wire/canonical.h"
#include "tests/wire/document.h"
#include "wire/frame.h"

namespace tegu::wire {
namespace {

const Document& document() {
    static const Document parsed = read_protocol_document();
    return parsed;
}

std::size_t rows_with_number(const std::string& heading) {
    const Section* section = document().section(heading);
    if (section == nullptr) return 0;
    std::size_t count = 0;
    for (const std::string& line : section->lines)
        if (line.size() > 2 && line[0] == '|' && line[2] >= '0' && line[2] <= '9') ++count;
    return count;
}

#define EXPECT_ROW(row) EXPECT_TRUE(document().has_line(row)) << "docs/protocol.md lacks:\n" << (row)

TEST(ProtocolDocument, ListsTheStatusesOfTheCode) {
    std::size_t count = 0;
#define TEGU_X(number, Name, WORD, retry, exit_code, sentence)                                    \
    EXPECT_ROW(std::string("| " #number " | `" #WORD "` | ") + ((retry) ? "yes" : "no") + " | " + \
               (sentence) + " | " + std::to_string(exit_code) + " |");                            \
    ++count;
    TEGU_STATUSES(TEGU_X)
#undef TEGU_X
    EXPECT_EQ(rows_with_number("Statuses"), count);
}

TEST(ProtocolDocument, ListsTheMessageTypesOfTheCode) {
    std::size_t count = 0;
#define TEGU_X(number, Name, WORD, sentence)                                       \
    EXPECT_ROW(std::string("| " #number " | `" #WORD "` | ") + (sentence) + " |"); \
    ++count;
    TEGU_MESSAGE_TYPES(TEGU_X)
#undef TEGU_X
    EXPECT_EQ(rows_with_number("Message types"), count);
}

TEST(ProtocolDocument, ListsTheVocabularyOfTheCode) {
    for (const OperationInfo& info : operation_infos())
        EXPECT_ROW("| " + std::to_string(static_cast<int>(info.operation)) + " | `" + std::string(info.stem) +
                   "` | " + std::to_string(info.inputs) + " | " + std::string(info.sentence) + " |");
    EXPECT_EQ(rows_with_number("Operations"), operation_infos().size());

    for (const StatisticInfo& info : kStatisticInfos)
        EXPECT_ROW("| " + std::to_string(static_cast<int>(info.statistic)) + " | `" + std::string(info.word) +
                   "` | " + std::to_string(info.values_per_row) + " | " + std::string(info.sentence) + " |");
    EXPECT_EQ(rows_with_number("Statistics"), static_cast<std::size_t>(kStatisticCount));

    std::size_t types = 0;
    for (unsigned number = 0; number < 256; ++number) {
        if (!is_element_type(static_cast<std::uint8_t>(number))) continue;
        const auto type = static_cast<ElementType>(number);
        EXPECT_ROW("| " + std::to_string(number) + " | `" + std::string(element_word(type)) + "` | " +
                   std::to_string(element_bytes(type)) + " |");
        ++types;
    }
    EXPECT_EQ(rows_with_number("Element types"), types);
}

TEST(ProtocolDocument, ListsTheRolesOfTheCode) {
    const Section* section = document().section("Roles");
    ASSERT_NE(section, nullptr);
    std::string text;
    for (const std::string& line : section->lines) text += line + "\n";
    EXPECT_NE(text.find("| 1.." + std::to_string(kStatisticCount) + " | a statistic"), std::string::npos);
    std::size_t count = 0;
#define TEGU_X(number, Name, word, sentence)                                     \
    EXPECT_ROW(std::string("| " #number " | " #word " | ") + (sentence) + " |"); \
    ++count;
    TEGU_ARRAY_ROLES(TEGU_X)
#undef TEGU_X
    EXPECT_EQ(rows_with_number("Roles"), count + 1);  // and that of the statistics
}

// The row of each parameter in the table of its operation: type, field and meaning.
template <class Params>
struct Row {
    std::string operator()(const Flag<Params>& flag) const {
        return text("u8", flag.name, "truth value: " + std::string(flag.sentence));
    }
    template <class T>
    std::string operator()(const Number<Params, T>& number) const {
        const std::string sentence = number.sentence;
        return text(sizeof(T) == 4 ? "u32" : "u64", number.name,
                    number.allowed + (sentence.empty() ? "" : "; " + sentence));
    }
    template <class Enumeration>
    std::string operator()(const Choice<Params, Enumeration>& choice) const {
        const Words words = words_of(Enumeration{});
        std::string list;
        for (std::size_t i = 0; i < words.count; ++i)
            list += (i == 0 ? "" : ", ") + std::to_string(i) + " is " + words.begin[i];
        return text("u8", choice.name, std::string(choice.sentence) + ": " + list);
    }
    std::string operator()(const Set<Params>& set) const { return text("u32", set.name, set.sentence); }
    std::string operator()(const Edge<Params>& edge) const { return text("f64", edge.name, edge.sentence); }
    template <class T>
    std::string operator()(const List<Params, T>& list) const {
        return text("u32", list.count_name, list.count_sentence);
    }
    static std::string text(const char* type, const char* name, const std::string& meaning) {
        return std::string(" | ") + type + " | " + name + " | " + meaning + " |";
    }
};

template <class Params>
std::vector<std::string> parameter_rows() {
    std::vector<std::string> rows;
    std::size_t end = 0;
    const auto reserve = [&](std::size_t begin, std::size_t bytes) {
        const std::string type = bytes == 1 ? "u8" : "u8[" + std::to_string(bytes) + "]";
        if (bytes != 0) rows.push_back("| +" + std::to_string(begin) + " | " + type + " | reserved | 0 |");
    };
    const std::size_t bytes = for_each_offset<Params>([&](const auto& parameter, std::size_t offset) {
        reserve(end, offset - end);
        rows.push_back("| +" + std::to_string(offset) + Row<Params>{}(parameter));
        end = offset + width_of(parameter);
    });
    reserve(end, bytes - end);
    return rows;
}

TEST(ProtocolDocument, ListsTheParametersOfTheCode) {
    for (const OperationInfo& info : operation_infos()) {
        const Section* section = document().section("JOB request: " + std::string(info.stem));
        ASSERT_NE(section, nullptr) << info.stem;
        std::vector<std::string> found, expected;
        for (const std::string& line : section->lines)
            if (line.compare(0, 3, "| +") == 0) found.push_back(line);
        visit_operation<JobParams>(static_cast<std::uint16_t>(info.operation), [&](const auto& params) {
            expected = parameter_rows<std::decay_t<decltype(params)>>();
        });
        ASSERT_GE(found.size(), expected.size()) << info.stem;
        found.resize(expected.size());  // the elements of a list follow, in the words of the document
        EXPECT_EQ(found, expected) << info.stem;
    }
}

TEST(ProtocolDocument, GivesTheLimitsOfTheCode) {
    std::string text;
    for (const Section& section : document().sections)
        for (const std::string& line : section.lines) text += line + " ";
    for (const std::string& claim :
         {"largest body that the daemon takes: " + std::to_string(kMaxBodyBytes),
          "most data in a JOB message, either way: " + std::to_string(kMaxInlineBytes),
          "message has at most " + std::to_string(kMaxHelloBodyBytes) + " bytes",
          "length of `name`, at most " + std::to_string(kMaxNameBytes),
          "length of `server`, at most " + std::to_string(kMaxNameBytes),
          "number of values, at most " + std::to_string(kMaxFields),
          "8 for kinds 0 and 1, at most " + std::to_string(kMaxFieldTextBytes),
          "number of elements, at most " + std::to_string(kMaxBuffersListed),
          "kernels in this reply, at most " + std::to_string(kMaxKernelsListed),
          "jobs in this reply, at most " + std::to_string(kMaxJobsListed),
          "length of `name`, 1 to " + std::to_string(kMaxKernelTextBytes),
          "length of `text`, at most " + std::to_string(kMaxHealthTextBytes),
          "length of `reason`, at most " + std::to_string(kMaxErrorTextBytes),
          "at most " + std::to_string(kMaxArrays) + " |",
          "length of `policy`, at most " + std::to_string(kMaxPolicyBytes),
          "each of the three is at most " + std::to_string(kMaxErrorTextBytes),
          "The arrays begin at multiples of " + std::to_string(kArrayAlignment),
          "of the quantiles: 1 to " + std::to_string(kMaxQuantiles),
          "| levels | 2 to " + std::to_string(kMaxEntropyLevels) + " |",
          "| part_count | 1 to " + std::to_string(kMaxFusedParts) + " |"})
        EXPECT_NE(text.find(claim), std::string::npos) << claim;
}

// The bytes of one field of an example, as the line says it: 42, 0x2a, 1.5, "text", or "1 2 3 (f32)", also
// (f64) and (u64).
template <class T>
void append(std::vector<std::byte>& out, T value) {
    const std::size_t begin = out.size();
    out.resize(begin + sizeof value);
    std::memcpy(out.data() + begin, &value, sizeof value);
}

std::vector<std::byte> bytes_of_list(const std::string& value) {
    std::vector<std::byte> out;
    std::istringstream items(value);
    const std::string type = value.substr(value.find('('));
    for (double item = 0; items >> item;) {
        if (type == "(f32)") append(out, static_cast<float>(item));
        if (type == "(f64)") append(out, item);
        if (type == "(u64)") append(out, static_cast<std::uint64_t>(item));
    }
    return out;
}

std::vector<std::byte> bytes_of(const std::string& value, std::size_t width, bool is_float) {
    std::vector<std::byte> out;
    if (value[0] == '"') {
        for (std::size_t i = 1; i + 1 < value.size(); ++i) out.push_back(static_cast<std::byte>(value[i]));
    } else if (value.find('(') != std::string::npos) {
        out = bytes_of_list(value);
    } else if (is_float) {
        append(out, std::stod(value));
    } else {
        const std::uint64_t number = std::stoull(value, nullptr, 0);
        for (std::size_t i = 0; i < width; ++i)
            out.push_back(static_cast<std::byte>(i < 8 ? number >> (8 * i) : 0));
    }
    return out;
}

// Bytes of a type of the tables; 0 if the line itself says how many.
std::size_t width_of(const std::string& type) {
    if (type == "u8") return 1;
    if (type == "u16") return 2;
    if (type == "u32") return 4;
    if (type == "u64" || type == "f64") return 8;
    if (type.rfind("u8[", 0) == 0 && type != "u8[]") return std::stoul(type.substr(3));
    return 0;
}

// The row for a field of an example: at that fixed offset if there is one, else the next repeated or variable
// one of the name.
const TableRow* find_row(const std::vector<const Section*>& sections, const std::string& name,
                         std::size_t offset, std::size_t fill) {
    const TableRow* found = nullptr;
    for (const Section* section : sections)
        for (const TableRow& row : section->rows) {
            if (row.field != name || (row.offset && *row.offset != offset)) continue;
            const std::size_t width = width_of(row.type);
            if (row.offset || (name != "reserved" || width == fill)) return &row;
            found = &row;
        }
    return found;
}

void check_line(const ExampleLine& line, const std::vector<std::byte>& bytes,
                const std::vector<const Section*>& sections) {
    std::size_t at = line.offset;
    for (const Annotation& item : line.annotations) {
        const TableRow* row = find_row(sections, item.name, at, line.offset + line.bytes.size() - at);
        ASSERT_NE(row, nullptr) << item.name << " at " << at << " stands in no table";
        std::size_t width = width_of(row->type);
        if (row->type == "u8[]" || row->type == "value") width = line.offset + line.bytes.size() - at;
        const std::vector<std::byte> said =
            bytes_of(item.value, width, row->type == "f64" || item.value.find('.') != std::string::npos);
        EXPECT_TRUE(said.size() == width || width == 0 || item.value[0] == '"') << item.name;
        ASSERT_LE(at + said.size(), bytes.size()) << item.name;
        EXPECT_TRUE(std::equal(said.begin(), said.end(), bytes.begin() + static_cast<std::ptrdiff_t>(at)))
            << item.name << " at " << at << " is not " << item.value;
        at += said.size();
    }
    if (line.annotations.empty()) return;
    EXPECT_GE(at, line.offset + line.bytes.size()) << "bytes at " << at << " are not explained";
}

void check_lines(const std::vector<ExampleLine>& lines, const std::vector<const Section*>& sections) {
    std::vector<std::byte> bytes;
    for (const ExampleLine& line : lines) {
        EXPECT_EQ(line.offset, bytes.size()) << "the offset of a line";
        bytes.insert(bytes.end(), line.bytes.begin(), line.bytes.end());
    }
    for (const ExampleLine& line : lines) check_line(line, bytes, sections);
}

// Where the tables of an example stand: "JOB request: topk" is described by "JOB request" and "JOB request:
// topk", and a fused job by the tables of its parts, too.
std::vector<const Section*> sections_of(const std::string& title) {
    const std::string message = title == "EVENT" ? "error reply" : title.substr(0, title.find(':'));
    std::vector<std::string> headings{title, message};
    if (title == "JOB request: fused")
        for (const char* part : {"reduce", "topk", "quantile", "histogram", "entropy"})
            headings.push_back(message + ": " + part);
    std::vector<const Section*> sections;
    for (const std::string& heading : headings)
        if (const Section* section = document().section(heading)) sections.push_back(section);
    return sections;
}

class ExampleTest : public testing::TestWithParam<Example> {};

TEST_P(ExampleTest, IsWhatItsLinesAndTablesSay) {
    const Section* header = document().section("Header");
    ASSERT_NE(header, nullptr);
    check_lines(GetParam().header, {header});
    check_lines(GetParam().body, sections_of(GetParam().title));
}

TEST_P(ExampleTest, IsWhatTheCodecReadsAndWrites) {
    const Example& example = GetParam();
    const std::vector<std::byte> bytes = example.bytes();
    const Sender sender =
        example.title.find("request") != std::string::npos ? Sender::Client : Sender::Daemon;
    const FrameResult result = next_frame(bytes, kMaxBodyBytes, sender);
    const auto* frame = std::get_if<Frame>(&result);
    ASSERT_NE(frame, nullptr);
    EXPECT_EQ(frame->consumed, bytes.size());
    EXPECT_TRUE(sender == Sender::Daemon || check_request(frame->header).ok());

    ByteBuffer header;
    encode_header(frame->header, header);
    EXPECT_TRUE(std::equal(header.begin(), header.end(), bytes.begin()));
    const std::string name =
        example.title == "EVENT" ? "error reply" : example.title.substr(0, example.title.find(':'));
    const BodyCodec* codec = find_codec(name);
    if (codec != nullptr) {
        EXPECT_EQ(codec->check(frame->body), Outcome::Canonical);
    } else {
        EXPECT_TRUE(frame->body.empty() || name.substr(0, 4) == "PING");
    }
}

TEST_P(ExampleTest, HasTheTypeOfItsTitle) {
    const std::string word = GetParam().title.substr(0, GetParam().title.find(' '));
    const FrameHeader header = *decode_header(GetParam().bytes(), kMaxBodyBytes);
    EXPECT_EQ(header.reply, GetParam().title.find("reply") != std::string::npos);
    if (word == "error") {
        EXPECT_EQ(GetParam().title, "error reply: " + std::string(status_info(header.status).word));
        return;
    }
    bool found = false;
#define TEGU_X(number, Name, WORD, sentence) \
    if (word == #WORD) found = header.type == MessageType::Name;
    TEGU_MESSAGE_TYPES(TEGU_X)
#undef TEGU_X
    EXPECT_TRUE(found);
}

std::string test_name(const testing::TestParamInfo<Example>& info) {
    std::string name;
    for (const char c : info.param.title) name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
    return name;
}
INSTANTIATE_TEST_SUITE_P(Document, ExampleTest, testing::ValuesIn(document().examples), test_name);

TEST(ProtocolDocument, HasAnExampleOfEveryMessageWithABody) {
    for (std::size_t i = 0; i < kBodyCodecCount; ++i) {
        const std::string name = kBodyCodecs[i].name;
        bool found = false;
        for (const Example& example : document().examples) found |= example.title.rfind(name, 0) == 0;
        EXPECT_TRUE(found) << name;
    }
    for (const OperationInfo& info : operation_infos())
        EXPECT_NE(document().example("JOB request: " + std::string(info.stem)), nullptr) << info.stem;
    EXPECT_NE(document().example("error reply: BUSY"), nullptr);
}

// What the text around the examples says.
JobRequest job_of(const char* title) {
    static std::vector<std::byte> bytes;
    bytes = document().example(title)->bytes();
    return *decode_job_request(Bytes(bytes).subspan(kHeaderBytes));
}

TEST(ProtocolDocument, ReduceExampleAsksForSumAndMeanOfFourFloats) {
    const JobRequest request = job_of("JOB request: reduce");
    EXPECT_EQ(request.job.type, ElementType::F32);
    EXPECT_EQ(request.job.axis, Axis::Whole);
    EXPECT_EQ(request.job.rows * request.job.cols, 4u);
    EXPECT_EQ(std::get<ReduceParams>(request.job.params).statistics,
              statistic_bit(Statistic::Sum) | statistic_bit(Statistic::Mean));
    const float values[] = {1, 2, 3, 4};
    ASSERT_EQ(request.data.size(), sizeof values);
    EXPECT_EQ(std::memcmp(request.data.data(), values, sizeof values), 0);
    const FrameHeader header =
        *decode_header(document().example("JOB request: reduce")->bytes(), kMaxBodyBytes);
    EXPECT_EQ(header.priority, Priority::High);
    EXPECT_EQ(header.deadline_ns, 1000000000u);
}

TEST(ProtocolDocument, ReduceReplyHoldsSumAndMean) {
    const std::vector<std::byte> bytes = document().example("JOB reply: reduce")->bytes();
    const JobReply reply = *decode_job_reply(Bytes(bytes).subspan(kHeaderBytes));
    ASSERT_EQ(reply.arrays.size(), 2u);
    EXPECT_EQ(reply.arrays[0].spec.role, role_of(Statistic::Sum));
    EXPECT_EQ(reply.arrays[1].spec.role, role_of(Statistic::Mean));
    double values[2];
    ASSERT_EQ(reply.data.size(), sizeof values);
    std::memcpy(values, reply.data.data(), sizeof values);
    EXPECT_EQ(values[0], 10.0);
    EXPECT_EQ(values[1], 2.5);
}

TEST(ProtocolDocument, TopkExampleIsThreeLargestOfEachRow) {
    const JobRequest request = job_of("JOB request: topk");
    EXPECT_EQ(std::get<TopkParams>(request.job.params).k, 3u);
    EXPECT_TRUE(std::get<TopkParams>(request.job.params).largest);
    EXPECT_EQ(request.job.axis, Axis::Rows);
    EXPECT_EQ(request.job.rows * request.job.cols * element_bytes(request.job.type), 4096000u);
    EXPECT_EQ(request.inputs[0].generation, 1u);
}

TEST(ProtocolDocument, EntropyMapExampleWritesIntoItsOwnBuffer) {
    const JobRequest request = job_of("JOB request: entropy_map");
    const auto& params = std::get<EntropyMapParams>(request.job.params);
    EXPECT_TRUE(params.has_range);
    EXPECT_EQ(params.hi, 256.0);
    EXPECT_EQ(request.inputs[0].handle, request.output.handle);
    EXPECT_EQ(request.output.offset_bytes + request.output.capacity_bytes, 4096u);
}

TEST(ProtocolDocument, AddExampleHasItsSecondInputAtAMultipleOfEight) {
    const JobRequest request = job_of("JOB request: add");
    const float values[] = {1, 2, 3, 0, 10, 20, 30};  // the 0 is padding
    ASSERT_EQ(request.data.size(), sizeof values);
    EXPECT_EQ(std::memcmp(request.data.data(), values, sizeof values), 0);
}

TEST(ProtocolDocument, DotAndRowscaleExamplesNameBuffers) {
    const JobRequest dot = job_of("JOB request: dot");
    EXPECT_EQ(dot.inputs[0].handle, dot.inputs[1].handle);
    EXPECT_EQ(dot.inputs[1].offset_bytes - dot.inputs[0].offset_bytes, 64u);
    const JobRequest rowscale = job_of("JOB request: rowscale");
    EXPECT_EQ(rowscale.output.handle, rowscale.inputs[0].handle);
    EXPECT_EQ(rowscale.output.offset_bytes, rowscale.inputs[0].offset_bytes);
    EXPECT_EQ(rowscale.job.axis, Axis::Rows);
}

TEST(ProtocolDocument, QuantileHistogramAndEntropyExamplesAskForWhatTheTextSays) {
    const auto quantile = std::get<QuantileParams>(job_of("JOB request: quantile").job.params);
    EXPECT_EQ(quantile.q, (std::vector<double>{0.5, 0.9}));
    EXPECT_EQ(quantile.method, QuantileMethod::Linear);
    const auto histogram = std::get<HistogramParams>(job_of("JOB request: histogram").job.params);
    EXPECT_EQ(histogram.bins, 4u);
    EXPECT_TRUE(histogram.has_range);
    EXPECT_EQ(histogram.hi, 4.0);
    const auto entropy = std::get<EntropyParams>(job_of("JOB request: entropy").job.params);
    EXPECT_EQ(entropy.levels, 4u);
    EXPECT_EQ(entropy.base, LogBase::Two);
}

TEST(ProtocolDocument, FusedExampleHasThreeParts) {
    const auto fused = std::get<FusedParams>(job_of("JOB request: fused").job.params);
    ASSERT_EQ(fused.parts.size(), 3u);
    EXPECT_EQ(std::get<ReduceParams>(fused.parts[0]).statistics, statistic_bit(Statistic::Sum));
    EXPECT_EQ(std::get<HistogramParams>(fused.parts[1]).hi, 256.0);
    EXPECT_EQ(std::get<EntropyParams>(fused.parts[2]).levels, 256u);
}

TEST(ProtocolDocument, BusyExampleSaysWhenToComeBack) {
    const std::vector<std::byte> bytes = document().example("error reply: BUSY")->bytes();
    const Error error =
        decode_error(*decode_header(bytes, kMaxBodyBytes), Bytes(bytes).subspan(kHeaderBytes));
    EXPECT_EQ(error.status, Status::Busy);
    EXPECT_EQ(error.retry_after_ns, 12000000u);
}

}  // namespace
}  // namespace tegu::wire
