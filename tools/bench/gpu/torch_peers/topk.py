# SPDX-License-Identifier: Apache-2.0


def cases(torch):
    for n in (10**6, 10**7, 10**8):
        for k in (10, 100, 4096):
            yield "topk f32 k=%d" % k, n, (n,), lambda x, k=k: torch.topk(x, k), 4 * n
    for rows, cols, k in ((4096, 4096, 64), (100000, 1000, 10)):
        name, n = "topk f32 rows %dx%d k=%d" % (rows, cols, k), rows * cols
        yield name, n, (rows, cols), lambda x, k=k: torch.topk(x, k, dim=1), 4 * n
