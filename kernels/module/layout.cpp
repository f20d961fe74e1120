// SPDX-License-Identifier: Apache-2.0
#include "kernels/module/layout.h"

#include <cstring>
#include <string_view>
#include <type_traits>

#include "base/job.h"
#include "kernels/module/abi.h"
#include "kernels/tuning/policy_fields.h"
#include "kernels/tuning/revisions.h"

namespace tegu::module {
namespace {

static_assert(std::is_standard_layout<cuda::Policies>::value &&
                  std::is_trivially_copyable<cuda::Policies>::value,
              "policies cross the border as a C struct");
static_assert(TEGU_MODULE_PARTS == cuda::kMostPolicyParts, "policies for each part");

// FNV-1a, 64 bits.
class Hash {
  public:
    void add_bytes(const void* data, std::size_t bytes) {
        const auto* const begin = static_cast<const unsigned char*>(data);
        for (std::size_t i = 0; i < bytes; ++i) value_ = (value_ ^ begin[i]) * 0x100000001b3u;
    }
    void add(std::uint64_t number) {
        for (unsigned shift = 0; shift < 64; shift += 8)
            value_ = (value_ ^ (number >> shift & 0xff)) * 0x100000001b3u;
    }
    void add(std::string_view text) {
        add(std::uint64_t{text.size()});
        add_bytes(text.data(), text.size());
    }
    std::uint64_t value() const { return value_; }

  private:
    std::uint64_t value_ = 0xcbf29ce484222325u;
};

template <class Params>
void add_parameters(Hash& hash) {
    for_each_parameter<Params>([&](const auto& parameter) {
        hash.add(std::string_view(parameter.name));
        hash.add(std::uint64_t{width_of(parameter)});
        if constexpr (kIsList<std::decay_t<decltype(parameter)>>) hash.add(std::uint64_t{parameter.most});
    });
}

// The bytes of the policies with one field set to 1 show the field's place and width.
void add_fields(Hash& hash, std::string_view stem) {
    for (const tuning::PolicyField& field : tuning::policy_fields(TuningBackend::Cuda, stem)) {
        tuning::PolicySet set;
        std::memset(static_cast<void*>(&set.cuda), 0, sizeof set.cuda);
        field.set(&set, 1);
        hash.add(field.name);
        hash.add_bytes(&set.cuda, sizeof set.cuda);
    }
}

std::uint64_t make_revision() {
    Hash hash;
    hash.add(std::uint64_t{TEGU_MODULE_ABI});
    hash.add(std::uint64_t{sizeof(cuda::Policies)});
#define TEGU_X(number, Name, stem, inputs, sentence)                                    \
    hash.add(std::uint64_t{number});                                                    \
    hash.add(std::string_view(#stem));                                                  \
    hash.add(std::uint64_t{inputs});                                                    \
    hash.add(std::uint64_t{tuning::revision_of(TuningBackend::Cuda, Operation::Name)}); \
    add_parameters<Name##Params>(hash);                                                 \
    add_fields(hash, #stem);
    TEGU_OPERATIONS(TEGU_X)
#undef TEGU_X
    for (const StatisticInfo& info : kStatisticInfos) hash.add(static_cast<std::uint64_t>(info.statistic));
    return hash.value();
}

}  // namespace

std::uint64_t layout_revision() {
    static const std::uint64_t revision = make_revision();
    return revision;
}

}  // namespace tegu::module
