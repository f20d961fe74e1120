// SPDX-License-Identifier: Apache-2.0
// Lists the kernels by name, with the block that the default policy launches on a device. Every .cu file with
// kernels ends with the list of its tables. kernel_report.h reports the resources of each kernel. C++14.
#pragma once

#include <string>
#include <vector>

#include "kernels/execution/cuda/kernel_table.h"
#include "kernels/execution/cuda/launch.h"

namespace tegu {
namespace cuda {

struct KernelEntry {
    std::string name;  // with its template arguments: "add_packs<f32, 2>"; at most 255 bytes
    const void* function;
    unsigned threads;          // of a block
    std::size_t shared_bytes;  // dynamic shared memory of a block
    std::string moves;         // the bytes that it reads and writes, in words; at most 255 bytes
};

struct BlockSize {
    unsigned threads;
    std::size_t shared_bytes;
};

// A table with the block size of each variant: block(index) is a BlockSize.
template <class Table, class Block>
struct ListedTable {
    const Table& table;
    Block block;
};
template <class Table, class Block>
ListedTable<Table, Block> listed(const Table& table, Block block) {
    return ListedTable<Table, Block>{table, block};
}
// All variants have the same block.
template <class Table>
auto listed(const Table& table, const BlockSize& size) {
    return listed(table, [size](unsigned) { return size; });
}

class KernelLister {
  public:
    explicit KernelLister(const DeviceLimits& limits) : limits_(limits) {}
    const DeviceLimits& limits() const { return limits_; }
    const std::vector<KernelEntry>& entries() const { return entries_; }

    // Cuts each table into `rows` equal parts and adds the first parts of all tables, the second ones, ...
    template <class... Tables>
    void add(unsigned rows, const Tables&... tables) {
        for (unsigned row = 0; row < rows; ++row) {
            const int added[] = {(add_row(tables, row, rows), 0)...};
            static_cast<void>(added);
        }
    }

  private:
    template <class Kernel, unsigned Count, class Block>
    void add_row(const ListedTable<KernelTable<Kernel, Count>, Block>& listed, unsigned row, unsigned rows) {
        for (unsigned i = row * (Count / rows); i < (row + 1) * (Count / rows); ++i) {
            const KernelVariant<Kernel>& variant = listed.table.variants[i];
            if (variant.kernel == nullptr) continue;
            const BlockSize block = listed.block(i);
            entries_.push_back(KernelEntry{name_of(listed.table.name, variant),
                                           reinterpret_cast<const void*>(variant.kernel), block.threads,
                                           block.shared_bytes, listed.table.moves});
        }
    }
    template <class Kernel>
    static std::string name_of(const char* stem, const KernelVariant<Kernel>& variant) {
        std::string arguments;
        const auto add = [&](const std::string& argument) {
            arguments += (arguments.empty() ? "<" : ", ") + argument;
        };
        for (const char* word : variant.words)
            if (word != nullptr) add(word);
        for (const unsigned number : variant.numbers)
            if (number != 0) add(std::to_string(number));
        return stem + (arguments.empty() ? arguments : arguments + ">");
    }

    DeviceLimits limits_;
    std::vector<KernelEntry> entries_;
};

// Adds the kernels of the .cu files in kernels/*/CMakeLists.txt, by a call for each file:
// kernels/<room>/cuda/<file>.cu has list_<room>_<file>_kernels(), or list_<room>_kernels() with the same
// name.
void list_kernels(KernelLister& to);

}  // namespace cuda
}  // namespace tegu
