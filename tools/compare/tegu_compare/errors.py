# SPDX-License-Identifier: Apache-2.0
"""The one exception of the package. Its text names the file and what is wrong in it; the command prints it
and ends with its exit code."""

USAGE, BAD_DATA, MISSING_FILE, MISSING_LIBRARY, CANNOT_WRITE = 64, 65, 66, 69, 73  # as sysexits.h has them


class CompareError(Exception):
    def __init__(self, text, exit_code=BAD_DATA):
        super().__init__(text)
        self.exit_code = exit_code
