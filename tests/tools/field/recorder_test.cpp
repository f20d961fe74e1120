// SPDX-License-Identifier: Apache-2.0
// A field file is valid JSON after every record. A run goes on with it, also after a last line that was cut
// off. It is refused for another board.
#include "tools/field/recorder.h"

#include "tests/tools/field/support.h"

namespace tegu::field {
namespace {

using Records = std::vector<std::string>;

ResultRecord result(const std::string& name) {
    ResultRecord record;
    record.part = "operations";
    record.name = name;
    record.operation = "topk";
    record.backend = "cpu";
    record.axes = {{"elements", std::int64_t{10}}, {"type", std::string("f32")}, {"share", 0.5}};
    record.seconds = 1.5e-3;
    record.repeats = 5;
    record.bytes = 40;
    return record;
}

ConditionRecord condition(double elapsed_s) {
    ConditionRecord record;
    record.part = "operations";
    record.elapsed_s = elapsed_s;
    return record;
}

SkippedRecord skipped(const std::string& name, bool retry) {
    return {"operations", name, "cpu", "a \"reason\"", retry};
}

Recorder opened(const std::string& path, const FieldHead& head) {
    Result<Recorder> recorder = Recorder::open(path, head);
    EXPECT_TRUE(recorder.ok()) << recorder.error().message;
    return std::move(*recorder);
}

TEST(Recorder, FileIsJsonAfterEveryRecord) {
    const TemporaryFile file;
    Recorder recorder = opened(file.path(), head_of("a board"));
    EXPECT_EQ(file.parsed().get<std::string>("identity.board"), "a board");
    EXPECT_EQ(file.parsed().get<bool>("finished"), false);
    ASSERT_TRUE(recorder.add(condition(0.5)).ok());
    EXPECT_EQ(records_of(file.parsed()), Records{"condition operations before"});
    ASSERT_TRUE(recorder.add(result("one")).ok());
    ASSERT_TRUE(recorder.add(skipped("two", false)).ok());
    const Records all = {"condition operations before", "result operations one cpu",
                         "skipped operations two cpu"};
    EXPECT_EQ(records_of(file.parsed()), all);
    ASSERT_TRUE(recorder.finish().ok());
    EXPECT_EQ(records_of(file.parsed()), all);
    EXPECT_EQ(file.parsed().get<bool>("finished"), true);
    EXPECT_EQ(file.parsed().get<std::string>("schema"), "tegu-field/1");
}

TEST(Recorder, GoesOnWithItsFile) {
    const TemporaryFile file;
    {
        Recorder recorder = opened(file.path(), head_of("a board"));
        ASSERT_TRUE(recorder.add(condition(7.5)).ok());
        ASSERT_TRUE(recorder.add(result("one")).ok());
        ASSERT_TRUE(recorder.add(skipped("never", false)).ok());
        ASSERT_TRUE(recorder.add(skipped("later", true)).ok());
        ASSERT_TRUE(recorder.add(result("two")).ok());
        ASSERT_TRUE(recorder.finish().ok());
    }
    Recorder recorder = opened(file.path(), head_of("a board"));
    EXPECT_EQ(recorder.continued(), 2u);
    EXPECT_EQ(recorder.elapsed_before_s(), 7.5);
    EXPECT_TRUE(recorder.has("operations", "one", "cpu"));
    EXPECT_TRUE(recorder.has("operations", "never", "cpu"));
    EXPECT_FALSE(recorder.has("operations", "later", "cpu"));
    EXPECT_FALSE(recorder.has("operations", "one", "cuda"));
    ASSERT_TRUE(recorder.add(result("later")).ok());
    EXPECT_TRUE(recorder.has("operations", "later", "cpu"));
    EXPECT_EQ(records_of(file.parsed()), (Records{"condition operations before", "result operations one cpu",
                                                  "skipped operations never cpu", "result operations two cpu",
                                                  "result operations later cpu"}));
    EXPECT_EQ(file.parsed().get<bool>("finished"), false);
}

// Wherever a write was cut off, at most the record that it was about is lost.
TEST(Recorder, SurvivesAnEndThatWasCutOff) {
    const TemporaryFile file;
    {
        Recorder recorder = opened(file.path(), head_of("a board"));
        ASSERT_TRUE(recorder.add(result("one")).ok());
        ASSERT_TRUE(recorder.add(result("two")).ok());
    }
    const std::string text = file.text();
    const std::size_t first = text.find("{\"kind\": \"result\"");
    std::size_t lost = 0;
    for (std::size_t size = text.size() - 1; size > first; size -= size + 60 > text.size() ? 1 : 13) {
        file.write(text.substr(0, size));
        Recorder recorder = opened(file.path(), head_of("a board"));
        const std::size_t known = recorder.continued();
        lost = std::max(lost, 2 - known);
        ASSERT_EQ(records_of(file.parsed()).size(), known) << size;
        ASSERT_TRUE(recorder.add(result("three")).ok());
        ASSERT_EQ(records_of(file.parsed()).size(), known + 1) << size;
    }
    EXPECT_EQ(lost, 2u);  // the smallest sizes cut both
}

TEST(Recorder, RefusesAFileOfAnotherRun) {
    const TemporaryFile file;
    { const Recorder recorder = opened(file.path(), head_of("a nano")); }
    const std::string before = file.text();
    const auto refusal = [&](const FieldHead& head) {
        const Result<Recorder> recorder = Recorder::open(file.path(), head);
        return recorder.ok() ? std::string("opened") : recorder.error().message;
    };
    EXPECT_NE(refusal(head_of("an orin")).find("identity.board is 'a nano' there and 'an orin' here"),
              std::string::npos)
        << refusal(head_of("an orin"));
    EXPECT_NE(refusal(head_of("a nano", true)).find("options.quick"), std::string::npos);
    EXPECT_EQ(refusal(head_of("a nano")), "opened");
    EXPECT_EQ(file.text(), before);
    const Result<Recorder> replaced = Recorder::replace(file.path(), head_of("an orin"));
    ASSERT_TRUE(replaced.ok());
    EXPECT_EQ(file.parsed().get<std::string>("identity.board"), "an orin");
}

TEST(Recorder, RefusesWhatIsNoFieldFileAndLeavesItAlone) {
    const TemporaryFile file;
    const std::string whole =
        head_text(head_of("a board")) + "\n{\"kind\": \"other\", \"part\": \"p\"}" + tail_text(false);
    const std::string texts[] = {
        "hello\n",
        "{}",
        "{\n\"schema\": \"tegu-field/2\",\n",
        std::string(100, '{'),
        whole + "x",
        "{\n\"schema\": \"tegu-field/1\",\n\"identity\": [,\n\"options\": {},\n\"records\": [\n"};
    for (const std::string& text : texts) {
        file.write(text);
        const Result<Recorder> recorder = Recorder::open(file.path(), head_of("a board"));
        if (text == whole + "x") {  // more than the end: dropped as a write that was cut off
            EXPECT_TRUE(recorder.ok());
            continue;
        }
        ASSERT_FALSE(recorder.ok()) << text;
        EXPECT_EQ(recorder.error().status, Status::BadRequest);
        EXPECT_NE(recorder.error().message.find(file.path() + ": line "), std::string::npos)
            << recorder.error().message;
        EXPECT_EQ(file.text(), text);
    }
    std::string garbled = whole;
    garbled.insert(garbled.find("{\"kind\""), "nonsense,\n");
    file.write(garbled);
    const Result<Recorder> recorder = Recorder::open(file.path(), head_of("a board"));
    ASSERT_FALSE(recorder.ok());
    EXPECT_NE(recorder.error().message.find("line 6: it is no record"), std::string::npos)
        << recorder.error().message;
}

TEST(Recorder, IsTheOnlyWriterOfItsFile) {
    const TemporaryFile file;
    const Recorder recorder = opened(file.path(), head_of("a board"));
    const Result<Recorder> second = Recorder::open(file.path(), head_of("a board"));
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().status, Status::Busy);
    const Result<Recorder> nowhere = Recorder::open("/no/such/folder/board.json", head_of("a board"));
    ASSERT_FALSE(nowhere.ok());
    EXPECT_EQ(nowhere.error().status, Status::NotFound);
}

TEST(FieldJson, WritesWhatIsNotKnownAsNull) {
    const std::string text = record_json(result("one"));
    for (const char* const part :
         {"\"energy_j\": null", "\"registers\": null", "\"flops\": null", "\"bytes\": 40",
          "\"axes\": {\"elements\": 10, \"type\": \"f32\", \"share\": 0.5}", "\"checked\": false"})
        EXPECT_NE(text.find(part), std::string::npos) << part << " in " << text;
    EXPECT_NE(head_of("a board").identity.find("\"gpu\": null"), std::string::npos);
    ConditionRecord seen = condition(1);
    seen.state.temperatures_c = {{"gpu", 48.5}};
    seen.state.throttle = {"sw_power_cap"};
    seen.state.events = {{"oc3", 2}};
    const std::string state = record_json(seen);
    for (const char* const part : {"\"temperatures_c\": {\"gpu\": 48.5}", "\"throttle\": [\"sw_power_cap\"]",
                                   "\"events\": {\"oc3\": 2}", "\"power_w\": null", "\"memory\": null"})
        EXPECT_NE(state.find(part), std::string::npos) << part << " in " << state;
}

}  // namespace
}  // namespace tegu::field
