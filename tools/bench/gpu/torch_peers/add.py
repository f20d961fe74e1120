# SPDX-License-Identifier: Apache-2.0


def cases(torch):
    n = 4096 * 4096
    yield "add f32", n, (3, 4096, 4096), lambda x: torch.add(x[0], x[1], out=x[2]), 12 * n
