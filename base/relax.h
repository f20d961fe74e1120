// SPDX-License-Identifier: Apache-2.0
// Tells the processor that a loop waits for another thread.
#pragma once

namespace tegu {

// Any thread. Lets the other thread of a core run, and takes less power. Does nothing on other processors.
inline void relax() {
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    asm volatile("yield");
#endif
}

}  // namespace tegu
