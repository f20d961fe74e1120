// SPDX-License-Identifier: Apache-2.0
#include "wire/params.h"

namespace tegu::wire {
namespace {

constexpr std::size_t kPartHeaderBytes = 8;

template <class Params>
std::size_t bytes_of(const Params& params);
template <class Params>
void write(const Params& params, Writer& writer);
template <class Params>
void read(Params& params, Reader& reader);

// The elements of lists.

std::size_t element_bytes_of(double) {
    return 8;
}
void write_element(double number, Writer& writer) {
    writer.f64(number);
}
void read_elements(std::vector<double>& list, std::uint32_t count, Reader& reader) {
    if (reader.left() / 8 < count) return reader.underrun(8 * std::size_t{count});
    list.reserve(count);
    for (std::uint32_t i = 0; i < count; ++i) list.push_back(reader.f64());
}

std::size_t element_bytes_of(const FusedPart& part) {
    return kPartHeaderBytes + std::visit([](const auto& params) { return bytes_of(params); }, part);
}
void write_element(const FusedPart& part, Writer& writer) {
    writer.u16(static_cast<std::uint16_t>(operation_of(part)));
    writer.reserved(kPartHeaderBytes - 2);
    std::visit([&](const auto& params) { write(params, writer); }, part);
}
void read_elements(std::vector<FusedPart>& list, std::uint32_t count, Reader& reader) {
    for (std::uint32_t i = 0; i < count && reader.ok(); ++i) {
        const std::uint16_t operation = reader.u16();
        reader.reserved(kPartHeaderBytes - 2);
        const bool known = visit_operation<FusedPart>(operation, [&](auto params) {
            read(params, reader);
            list.push_back(std::move(params));
        });
        if (!known)
            reader.fail(Status::Unsupported, "parts", fused_part_words(),
                        "the operation cannot be part of a fused job", operation);
    }
}

// The fixed part of the parameters, one function each way for each kind.

template <class Params>
struct WriteFixed {
    void operator()(const Flag<Params>& flag) { writer.u8(params.*flag.member ? 1 : 0); }
    void operator()(const Number<Params, std::uint32_t>& number) { writer.u32(params.*number.member); }
    void operator()(const Number<Params, std::uint64_t>& number) { writer.u64(params.*number.member); }
    template <class Enumeration>
    void operator()(const Choice<Params, Enumeration>& choice) {
        writer.u8(static_cast<std::uint8_t>(params.*choice.member));
    }
    void operator()(const Set<Params>& set) { writer.u32(params.*set.member); }
    void operator()(const Edge<Params>& edge) {
        if (params.*edge.has_range)
            writer.f64(params.*edge.member);
        else
            writer.reserved(8);
    }
    template <class T>
    void operator()(const List<Params, T>& list) {
        writer.u32(static_cast<std::uint32_t>((params.*list.member).size()));
    }

    const Params& params;
    Writer& writer;
};

// "0 (linear) to 4 (midpoint)"; static storage.
template <class Enumeration>
const char* allowed_numbers() {
    static const std::string text = [] {
        const Words words = words_of(Enumeration{});
        const std::size_t last = words.count - 1;
        return std::string("0 (") + words.begin[0] + (last == 1 ? ") or " : ") to ") + std::to_string(last) +
               " (" + words.begin[last] + ")";
    }();
    return text.c_str();
}

template <class Params>
struct ReadFixed {
    void operator()(const Flag<Params>& flag) { params.*flag.member = reader.boolean(flag.name); }
    void operator()(const Number<Params, std::uint32_t>& number) { params.*number.member = reader.u32(); }
    void operator()(const Number<Params, std::uint64_t>& number) { params.*number.member = reader.u64(); }
    template <class Enumeration>
    void operator()(const Choice<Params, Enumeration>& choice) {
        const auto last = static_cast<Enumeration>(words_of(Enumeration{}).count - 1);
        params.*choice.member = reader.enumeration(choice.name, last, allowed_numbers<Enumeration>());
    }
    void operator()(const Set<Params>& set) {
        const std::uint32_t bits = params.*set.member = reader.u32();
        if ((bits & ~set.known) != 0)
            reader.fail(Status::Unsupported, set.name, "bits of docs/protocol.md", set.unknown, bits);
    }
    void operator()(const Edge<Params>& edge) {
        if (params.*edge.has_range)
            params.*edge.member = reader.f64();
        else
            reader.reserved(8);
    }
    template <class T>
    void operator()(const List<Params, T>&) {
        count = reader.u32();
    }

    Params& params;
    Reader& reader;
    std::uint32_t count = 0;  // of the list
};

// Calls visit(parameter) for each and gap(bytes) for the zero bytes between and after them.
template <class Params, class Visit, class Gap>
void walk(Visit& visit, Gap gap) {
    std::size_t end = 0;
    const std::size_t bytes = for_each_offset<Params>([&](const auto& parameter, std::size_t offset) {
        if (offset != end) gap(offset - end);
        visit(parameter);
        end = offset + width_of(parameter);
    });
    if (bytes != end) gap(bytes - end);
}

template <class Params>
std::size_t bytes_of(const Params& params) {
    std::size_t bytes = fixed_bytes<Params>();
    for_each_list<Params>([&](const auto& list) {
        for (const auto& element : params.*list.member) bytes += element_bytes_of(element);
    });
    return bytes;
}

template <class Params>
void write(const Params& params, Writer& writer) {
    WriteFixed<Params> fixed{params, writer};
    walk<Params>(fixed, [&](std::size_t bytes) { writer.reserved(bytes); });
    for_each_list<Params>([&](const auto& list) {
        for (const auto& element : params.*list.member) write_element(element, writer);
    });
}

template <class Params>
void read(Params& params, Reader& reader) {
    ReadFixed<Params> fixed{params, reader};
    walk<Params>(fixed, [&](std::size_t bytes) { reader.reserved(bytes); });
    for_each_list<Params>([&](const auto& list) {
        if (fixed.count > list.max)
            reader.fail(Status::BadRange, list.name, list.allowed, list.too_many, fixed.count);
        if (reader.ok()) read_elements(params.*list.member, fixed.count, reader);
    });
}

}  // namespace

std::size_t params_bytes(const JobParams& params) {
    return std::visit([](const auto& alternative) { return bytes_of(alternative); }, params);
}

void write_params(const JobParams& params, Writer& writer) {
    std::visit([&](const auto& alternative) { write(alternative, writer); }, params);
}

JobParams read_params(Operation operation, Reader& reader) {
    JobParams params;
    visit_operation<JobParams>(static_cast<std::uint16_t>(operation), [&](auto alternative) {
        read(alternative, reader);
        params = std::move(alternative);
    });
    return params;
}

}  // namespace tegu::wire
