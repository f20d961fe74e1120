#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Holds packages to an old glibc: reads every ELF file in them, and fails on a symbol version newer than the floor, on a library that is
# not of the system, and on another architecture than the package's. Takes folders and single files, too.
#   usage: scripts/check-symbols.sh [--floor 2.27] PACKAGE.deb|WHEEL.whl|TARBALL|FOLDER|FILE...
set -euo pipefail

fail() { echo "check-symbols: $1" >&2; exit "${2:-1}"; }
floor=2.27
if [ "${1:-}" = --floor ]; then floor=${2:?}; shift 2; fi
[ $# -gt 0 ] || { sed -n '3,/^[^#]/{/^# \{0,1\}/{s///;p}}' "$0" >&2; exit 64; }
command -v readelf >/dev/null || fail "needs readelf (binutils)" 69

# A library of ours, of the C library, of systemd, or of CUDA and its driver, which the modules open.
allowed='^(libc|libm|libpthread|libdl|librt|ld-linux-aarch64|ld-linux-x86-64|libsystemd|libtegu|libcudart|libcuda)\.so(\.[0-9]+)*$'
bad=0 files=0 newest=0

newer() { [ "$1" != "$2" ] && [ "$(printf '%s\n%s\n' "$1" "$2" | sort -V | tail -1)" = "$1" ]; }

complain() { echo "check-symbols: $1" >&2; bad=$((bad + 1)); }

# file PATH NAME MACHINE: MACHINE is what the package is for, empty where anything will do.
check_file() {
    local version library machine text
    text=$(readelf -W -h -V -d "$1" 2>/dev/null) || { complain "$2: readelf cannot read it"; return; }
    machine=$(sed -n 's/^ *Machine: *//p' <<<"$text")
    case $3:$machine in
    :* | amd64:*X86-64 | arm64:AArch64) ;;
    *) complain "$2: is for $machine, in a package for $3" ;;
    esac
    while read -r version; do
        if [ "$version" = PRIVATE ]; then complain "$2: needs GLIBC_PRIVATE"; continue; fi
        if newer "$version" "$newest"; then newest=$version; fi
        if newer "$version" "$floor"; then complain "$2: needs GLIBC_$version, newer than $floor"; fi
    done < <(sed -n '/^Version needs/,$s/.*Name: GLIBC_\([0-9.]*\|PRIVATE\) .*/\1/p' <<<"$text" | sort -u)
    while read -r library; do
        [[ $library =~ $allowed ]] || complain "$2: needs $library, which a board may not have"
    done < <(sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p' <<<"$text")
    files=$((files + 1))
}

check_folder() {
    local file
    while IFS= read -r -d '' file; do
        if [ "$(head -c 4 "$file" | od -An -tx1 | tr -d ' ')" = 7f454c46 ]; then check_file "$file" "$2${file#"$1"}" "$3"; fi
    done < <(find "$1" -type f -print0)
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
for argument; do
    rm -rf "$work/tree"
    mkdir "$work/tree"
    case $argument in
    *.deb)
        dpkg-deb -x "$argument" "$work/tree"
        check_folder "$work/tree" "${argument##*/}: " "$(dpkg-deb -f "$argument" Architecture)"
        ;;
    *.whl) unzip -q "$argument" -d "$work/tree"; check_folder "$work/tree" "${argument##*/}: " '' ;;
    *.tar.*) tar -C "$work/tree" -xf "$argument"; check_folder "$work/tree" "${argument##*/}: " '' ;;
    *) if [ -d "$argument" ]; then check_folder "$argument" "$argument" ''; else check_file "$argument" "$argument" ''; fi ;;
    esac
done
[ $bad -eq 0 ] || fail "$bad findings in $files files"
[ $files -gt 0 ] || fail "no ELF file in $*"
echo "check-symbols: $files ELF files, newest symbol GLIBC_$newest"
