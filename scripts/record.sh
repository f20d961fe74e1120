#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the records of docs/benchmarks: all of one commit, on a machine that does nothing else, with the peers
# of today. Builds the commit first. A part that is done is kept, so that a run that was broken off goes on,
# and the parts of a machine with a GPU may be recorded there. Files of parts of another commit are removed.
# Files of board, gpu, ladder, placement and tuning are named by the machine: they stay when another machine
# records, and name their own commit. tuning needs a table of this GPU in config/devices.
#   usage: scripts/record.sh [PART...] [--build FOLDER] [--output FOLDER] [--force] [--quick]
#                            [--again] [--list] [--check]
#     PART       cpu, reliability, board; with a GPU gpu, ladder, placement, tuning
#                default: all that this machine can
#     --build    takes a build of this commit in place of making one
#     --output   where to (default: docs/benchmarks)
#     --force    goes on with changes that are not committed, or on a busy machine; the records say so
#     --quick    seconds each, which prove nothing but that it works; needs --output
#     --again    measures parts anew that are recorded
#     --list     prints the parts, their commands and files, and what is recorded
#     --check    prints the commit of each part; exits with 1 unless no file is left over and all parts whose
#                files name no machine are of one commit
# Exit codes: 0 recorded; 1 a part failed; 64 wrong usage; 75 not now: the machine is busy, or files have
# changed.
set -euo pipefail
cd "$(dirname "$0")/.."
exec python3 scripts/recording.py "$@"
