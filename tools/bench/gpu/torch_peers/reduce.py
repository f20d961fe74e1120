# SPDX-License-Identifier: Apache-2.0


def cases(torch):
    for n in (10**4, 10**5, 10**6, 10**7, 10**8, 2**29):
        yield "sum f32", n, (n,), torch.sum, 4 * n
