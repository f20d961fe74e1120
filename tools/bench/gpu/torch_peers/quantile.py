# SPDX-License-Identifier: Apache-2.0


def cases(torch):
    yield "sort f32", 10**7, (10**7,), torch.sort, 8 * 10**7
