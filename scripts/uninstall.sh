#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Undoes scripts/install.sh by the list that it left: stops the service, removes every file, folder and user that the installation made. What an
# administrator has put in stays: changed settings and drop-ins, and the group tegu-clients if it has members.
#   usage: uninstall.sh [--prefix DIR] [--destdir DIR] [--purge]      default prefix: where this script is installed, else /usr/local
# --purge: removes those, too.
set -euo pipefail

fail() { echo "uninstall: $1" >&2; exit "${2:-1}"; }
say() { echo "uninstall: $*"; }

prefix='' destdir=${DESTDIR:-} purge=no

parse() {
    while [ $# -gt 0 ]; do
        case $1 in
        --prefix | --destdir) [ $# -gt 1 ] || fail "$1 needs a value" 64 ;;
        esac
        case $1 in
        --prefix) prefix=$2; shift ;;
        --destdir) destdir=$2; shift ;;
        --purge) purge=yes ;;
        -h | --help) sed -n '3,7s/^# \{0,1\}//p' "$0"; exit 0 ;;
        *) fail "unknown argument '$1'; --help shows the usage" 64 ;;
        esac
        shift
    done
    destdir=${destdir%/}
    if [ -z "$prefix" ]; then
        prefix=$(cd "$(dirname "$0")" && pwd)
        case $prefix in */share/tegu) prefix=${prefix%/share/tegu} ;; *) prefix=/usr/local ;; esac
        prefix=${prefix#"$destdir"}
    fi
    list=$destdir${prefix%/}/share/tegu/installed
    [ -r "$list" ] || fail "there is no list of what was installed in $list; --prefix says where else" 66
}

here() { [ -z "$destdir" ]; }
runs_systemd() { here && [ -d /run/systemd/system ]; }
recorded() { sed -n "s/^$1 //p" "$list"; }
checksum() { sha256sum <"$1" | cut -d' ' -f1; }

stop_service() {
    runs_systemd || return 0
    # In this order: units that were linked are gone when disabled, and with them what is to be done when they stop.
    systemctl stop tegud-textfile.timer tegud-metrics.socket tegud.socket tegud.service tegud-textfile.service 2>/dev/null || true
    systemctl --quiet disable tegud-textfile.timer tegud-metrics.socket tegud.socket tegud.service 2>/dev/null || true
    systemctl reset-failed tegud.service tegud.socket tegud-metrics.socket tegud-textfile.service 2>/dev/null || true
}

# What Python compiled in a folder that the installation made.
remove_cache() {
    case $'\n'$folders$'\n' in *$'\n'"$1"$'\n'*) rm -rf "$destdir$1/__pycache__" ;; esac
}

remove_files() {
    local path sum
    while read -r sum path; do
        if [ ! -e "$destdir$path" ]; then continue; fi
        if [ $purge = no ] && [ "$(checksum "$destdir$path")" != "$sum" ]; then say "kept $path, which was changed"; continue; fi
        rm -f "$destdir$path"
    done < <(recorded conf)
    while read -r path; do
        rm -f "$destdir$path"
        case $path in *.py) remove_cache "$(dirname "$path")" ;; esac
    done < <(recorded file)
    here || return 0
    rm -rf /run/tegud-textfile
    if [ -d /run/tegud ]; then rmdir --ignore-fail-on-non-empty /run/tegud; fi
    rm -rf /var/lib/tegud
    if [ $purge = yes ]; then rm -rf /etc/tegud; fi
}

# Deepest first; one in which something else lies stays.
remove_folders() {
    local path
    while read -r path; do
        if [ -d "$destdir$path" ]; then rmdir --ignore-fail-on-non-empty "$destdir$path"; fi
    done <<<"$folders"
}

remove_users() {
    local name members
    here || return 0
    for name in $users; do
        if getent passwd "$name" >/dev/null; then userdel "$name"; fi
    done
    for name in $groups; do
        members=$(getent group "$name" | cut -d: -f4) || continue
        if [ $purge = no ] && [ -n "$members" ]; then say "kept the group $name, whose members are $members"; continue; fi
        groupdel "$name"
    done
}

main() {
    parse "$@"
    if here && [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || fail "needs root or sudo, or --destdir" 77
        exec sudo "$0" "$@"
    fi
    folders=$(recorded dir | LC_ALL=C sort -r)
    users=$(recorded passwd)
    groups=$(recorded group)
    stop_service
    remove_files
    remove_folders
    remove_users
    if runs_systemd; then
        systemctl daemon-reload
        journalctl --update-catalog || true
    fi
    if here && command -v ldconfig >/dev/null; then ldconfig; fi
    say "removed tegu from $destdir${prefix:-/}"
    exit 0  # this file is gone by now
}

main "$@"
