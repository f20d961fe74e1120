# SPDX-License-Identifier: Apache-2.0


def cases(torch):
    for n in (10**6, 10**7, 10**8):
        yield "histc f32 256", n, (n,), lambda x: torch.histc(x, 256, 0, 1), 4 * n
