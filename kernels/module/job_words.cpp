// SPDX-License-Identifier: Apache-2.0
#include "kernels/module/job_words.h"

#include <cstring>
#include <type_traits>
#include <utility>

namespace tegu::module {
namespace {

using Words = std::vector<std::uint64_t>;

template <class T>
std::enable_if_t<std::is_integral<T>::value || std::is_enum<T>::value> write(const T& value, Words& words) {
    words.push_back(static_cast<std::uint64_t>(value));
}
void write(double value, Words& words) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &value, sizeof bits);
    words.push_back(bits);
}
void write(const FusedPart& part, Words& words);

template <class T>
void write(const std::vector<T>& list, Words& words) {
    words.push_back(list.size());
    for (const T& element : list) write(element, words);
}

template <class Params>
void write_params(const Params& params, Words& words) {
    for_each_parameter<Params>([&](const auto& parameter) { write(params.*(parameter.member), words); });
}

void write(const FusedPart& part, Words& words) {
    write(operation_of(part), words);
    std::visit([&](const auto& params) { write_params(params, words); }, part);
}

// After a word that is missing or wrong, all that it reads is 0.
class Reader {
  public:
    explicit Reader(Span<const std::uint64_t> words) : words_(words) {}

    template <class T>
    std::enable_if_t<std::is_integral<T>::value || std::is_enum<T>::value> read(T* value) {
        const std::uint64_t word = next();
        *value = static_cast<T>(word);
        if (static_cast<std::uint64_t>(*value) != word) failed_ = true;
    }
    void read(double* value) {
        const std::uint64_t bits = next();
        std::memcpy(value, &bits, sizeof bits);
    }
    void read(FusedPart* part) {
        std::uint16_t operation = 0;
        read(&operation);
        if (!visit_operation<FusedPart>(operation, [&](auto params) {
                read_params(&params);
                *part = std::move(params);
            }))
            failed_ = true;
    }
    template <class T>
    void read_list(std::vector<T>* list, std::uint32_t max_items) {
        const std::uint64_t count = next();
        if (count > max_items || count > words_.size() - at_) failed_ = true;
        for (std::uint64_t i = 0; i < count && !failed_; ++i) {
            list->emplace_back();
            read(&list->back());
        }
    }
    template <class Params>
    void read_params(Params* params) {
        for_each_parameter<Params>([&](const auto& parameter) {
            if constexpr (kIsList<std::decay_t<decltype(parameter)>>)
                read_list(&(params->*(parameter.member)), parameter.max);
            else
                read(&(params->*(parameter.member)));
        });
    }
    bool read_all() const { return !failed_ && at_ == words_.size(); }

  private:
    std::uint64_t next() {
        if (failed_ || at_ == words_.size()) {
            failed_ = true;
            return 0;
        }
        return words_[at_++];
    }

    Span<const std::uint64_t> words_;
    std::size_t at_ = 0;
    bool failed_ = false;
};

}  // namespace

void write_words(const JobParams& params, std::vector<std::uint64_t>* words) {
    words->clear();
    std::visit([&](const auto& own) { write_params(own, *words); }, params);
}

Result<JobParams> read_words(std::uint32_t operation, Span<const std::uint64_t> words) {
    JobParams read;
    Reader reader(words);
    const bool known = operation <= UINT16_MAX &&
                       visit_operation<JobParams>(static_cast<std::uint16_t>(operation), [&](auto params) {
                           reader.read_params(&params);
                           read = std::move(params);
                       });
    if (known && reader.read_all()) return read;
    return make_error(Status::Internal, "the parameters of operation " + std::to_string(operation) +
                                            " do not have the form that this module knows");
}

}  // namespace tegu::module
