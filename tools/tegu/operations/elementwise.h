// SPDX-License-Identifier: Apache-2.0
// Operations with one result value for each input element. Output is .npy in full precision, a picture, or a
// text summary. Pictures have a fixed scale, so that they are comparable; --scale changes it.
#pragma once

#include <string>

#include "tools/tegu/operation.h"
#include "tools/tegu/output/summary.h"
#include "tools/tegu/output/text.h"
#include "tools/tegu/output/words.h"

namespace tegu {
namespace cli {

class Elementwise : public Operation {
  public:
    const char* formats() const override { return "npy pgm png"; }
    Expected<void> check_format(const std::string& format) const override;
    Expected<void> prepare(const InputHeader& header) override;
    std::vector<std::uint8_t> roles() const override { return {role_}; }
    std::string human(const Finished& job) const override;
    void json(Json& json, const Finished& job) const override;
    Expected<void> write(const Finished& job, OutputFile& file) const override;

  protected:
    // `role` of the main result, `label` for people, `unit` of its values; may be empty.
    Elementwise(const JobOptions& job, std::uint8_t role, const char* label)
        : Operation(job), role_(role), label_(label) {}
    // Adds --colour and --scale; `full` describes --scale full.
    void add_picture_options(CommandLine& line, const std::string& full);

    // The values that become the first and the last colour with --scale full. May be the same: then those of
    // the data are taken.
    virtual Range full_range(const Finished& job) const = 0;
    virtual const char* unit() const { return ""; }
    // Lines of the table and keys of the JSON between the summary and the values.
    virtual void more_rows(Table&, const Finished&) const {}
    virtual void more_keys(Json&, const Finished&) const {}

    std::vector<std::uint64_t> shape(const Finished& job) const override { return job.header().array.shape; }

  private:
    Range picture_range(const Finished& job) const;
    std::string scale_text(const Range& range) const;
    Expected<void> write_picture(const Finished& job, OutputFile& file) const;

    const std::uint8_t role_;
    const char* const label_;
    std::string colour_ = "grey", scale_ = "full";
};

}  // namespace cli
}  // namespace tegu
