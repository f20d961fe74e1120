#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Prints the package mirror that apt is set up with, or $MIRROR if that is set. Exit code 69: apt has none of this kind.
#   usage: scripts/mirror.sh debian|ubuntu
set -euo pipefail
kind=${1:?usage: scripts/mirror.sh debian|ubuntu}
mirror=${MIRROR:-$(apt-get indextargets --format '$(SITE)' 2>/dev/null | grep -m1 "/$kind/*\$" || true)}
if [ -z "$mirror" ]; then
    echo "mirror: apt has no mirror of $kind; name one: MIRROR=http://HOST/$kind" >&2
    exit 69
fi
echo "${mirror%/}"
