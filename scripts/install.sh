#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs tegu as a service: programs, library, units, users; enables the socket and starts it. Builds first what is missing. Run again, it
# upgrades: what an administrator changed is kept, and a running daemon is restarted, which its clients do not notice. A list of all that it
# did lies in PREFIX/share/tegu/installed, and PREFIX/share/tegu/uninstall.sh undoes it.
#   usage: scripts/install.sh [OPTION...]
#     --prefix DIR        where to (default: that of the build, /usr/local if none was named)
#     --build DIR         what is installed (default: build/release)
#     --destdir DIR       everything goes below DIR, for a package: nothing is enabled, started or asked of this machine
#     --systemd VERSION   the systemd that it is for (default: the one here; with --destdir 237, the oldest)
#     --no-start          enable and start nothing
#     --enable-textfile   enable the timer that writes metrics for node_exporter
#     --drop-in NAME      change the service: discrete-gpu, memory-max, verbose, no-exec, no-sandbox; again for more
#     --without-sandbox   the same as --drop-in no-sandbox
#     --no-drop-in NAME   take such a change back
#     --user NAME         let this user connect (adds it to the group tegu-clients)
# Needs root, or sudo, but for --destdir. See docs/systemd.md.
set -euo pipefail

usage_error() { echo "install: $1; --help shows the usage" >&2; exit 64; }
fail() { echo "install: $1" >&2; exit "${2:-1}"; }
say() { echo "install: $*"; }

readonly known_dropins="discrete-gpu memory-max verbose no-exec no-sandbox"
self=$(readlink -f "$0")
. "${self%/*}/cmake.sh"
prefix='' build='' destdir=${DESTDIR:-} version='' start=yes textfile=no exit_code=0
dropins=() no_dropins=() users=()

dropin_name() {
    case " $known_dropins " in *" $1 "*) ;; *) usage_error "there is no drop-in '$1' (known: ${known_dropins// /, })" ;; esac
}

parse() {
    while [ $# -gt 0 ]; do
        case $1 in
        --prefix | --build | --destdir | --systemd | --drop-in | --no-drop-in | --user) [ $# -gt 1 ] || usage_error "$1 needs a value" ;;
        esac
        case $1 in
        --prefix) prefix=$2; shift ;;
        --build) build=$2; shift ;;
        --destdir) destdir=$2; shift ;;
        --systemd) version=$2; shift ;;
        --no-start) start=no ;;
        --enable-textfile) textfile=yes ;;
        --drop-in) dropin_name "$2"; dropins+=("$2"); shift ;;
        --without-sandbox) dropins+=(no-sandbox) ;;
        --no-drop-in) dropin_name "$2"; no_dropins+=("$2"); shift ;;
        --user) id "$2" >/dev/null 2>&1 || fail "there is no user '$2'" 67; users+=("$2"); shift ;;
        -h | --help) show_usage "$self"; exit 0 ;;
        *) usage_error "unknown argument '$1'" ;;
        esac
        shift
    done
    case $prefix in '' | /*) ;; *) usage_error "--prefix needs a path from the root, not '$prefix'" ;; esac
    case $build in '' | /*) ;; *) build=$PWD/$build ;; esac
    case $version in *[!0-9]*) usage_error "--systemd needs a number such as 245, not '$version'" ;; esac
    [ -z "$destdir" ] || { mkdir -p "$destdir"; destdir=$(cd "$destdir" && pwd); }
    destdir=${destdir%/}
}

here() { [ -z "$destdir" ]; }                                # for this machine, not for a package
runs_systemd() { here && [ -d /run/systemd/system ]; }
exists() { [ -e "$1" ] || [ -L "$1" ]; }
checksum() { sha256sum <"$1" | cut -d' ' -f1; }

record() { echo "$*" >>"$stage/list"; }

# Makes a folder, and records it and those above it that were not there. Those that an earlier installation made are recorded again.
make_folder() {
    local path=$1
    [ -n "$path" ] || return 0
    make_folder "${path%/*}"
    if [ -d "$destdir$path" ]; then
        case $'\n'$before$'\n' in *$'\n'"dir $path"$'\n'*) record "dir $path" ;; esac
    else
        mkdir -m 0755 "$destdir$path"
        record "dir $path"
    fi
}

# copy FOLDER FILE...: into the folder, in place of what was there; a program that runs goes on with the old file.
copy() {
    local folder=$1
    shift
    make_folder "$folder"
    cp -P --preserve=mode,timestamps,links --remove-destination "$@" "$destdir$folder/"
}

# put_settings FROM PATH: a file that an administrator may change. One that was changed since we put it there is kept.
put_settings() {
    local sum
    sum=$(sed -n "s|^conf \([0-9a-f]*\) $2\$|\1|p" "$stage/before")
    if exists "$destdir$2" && [ "$(checksum "$destdir$2")" != "$sum" ] && ! cmp -s "$1" "$destdir$2"; then
        say "kept $2, which was changed"
        if [ -n "$sum" ]; then  # else it was never ours
            make_folder "$(dirname "$2")"
            record "conf $sum $2"
        fi
        return 0
    fi
    make_folder "$(dirname "$2")"
    cp --preserve=mode,timestamps --remove-destination "$1" "$destdir$2"
    record "conf $(checksum "$1") $2"
}

# What is needed here, before anything is built or copied. Programs of root may be missing on the path of a user.
check_needs() {
    here || return 0
    [ "$(id -u)" -eq 0 ] || command -v sudo >/dev/null || fail "needs root or sudo, or --destdir" 77
    local program path=$PATH:/usr/sbin:/sbin
    for program in systemd-sysusers getent ${users[0]:+usermod}; do
        PATH=$path command -v "$program" >/dev/null || fail "$program is missing here, and makes or finds the users; nothing was built or \
installed. Without systemd, docs/systemd.md has the steps by hand" 69
    done
}

# What CMake would install from the build folder and is not built; as a line each. An optional file counts, too.
missing_files() {
    local home path
    home=$(sed -n 's/^CMAKE_CACHEFILE_DIR:INTERNAL=//p' "$build/CMakeCache.txt")
    find "$build" -name cmake_install.cmake -exec sed -n "s|^[^#]*\"\($home/[^\"$:]*\)\".*|\1|p" {} + |
        while IFS= read -r path; do exists "$path" || echo "$path"; done
}

# A build folder that is there keeps its configuration, and gets what is missing.
build_first() {
    local defines=()
    cd "$(dirname "$self")/.."
    if [ "${build:=$PWD/build/release}" != "$PWD/build/release" ]; then
        [ -x "$build/bin/tegud" ] || fail "nothing is built in $build" 66
    elif [ ! -e "$build/CMakeCache.txt" ] || [ ! -e "$build/cmake_install.cmake" ] || [ -n "$(missing_files)" ]; then
        say "building in $build"
        scripts/install-deps.sh build
        [ -e "$build/CMakeCache.txt" ] || defines=(-DTEGU_TESTS=OFF -DTEGU_BENCH=OFF ${prefix:+"-DCMAKE_INSTALL_PREFIX=$prefix"})
        scripts/build.sh release --targets "tegud cuda-module tegu tegu-bench tegu-tune tegu_client" ${defines[0]:+"${defines[@]}"}
    fi
    prefix=${prefix:-$(sed -n 's/^CMAKE_INSTALL_PREFIX:PATH=//p' "$build/CMakeCache.txt")}
    prefix=${prefix%/}
    list=$prefix/share/tegu/installed
}

become_root() {
    { here && [ "$(id -u)" -ne 0 ]; } || return 0
    exec sudo "$self" "$@"
}

find_version() {
    if [ -z "$version" ] && here; then
        version=$(systemctl --version 2>/dev/null | sed -n '1s/^systemd \([0-9]*\).*/\1/p') || true
    fi
    version=${version:-237}
}

# However this ends, what was put somewhere is on the list.
leave() {
    if [ -s "$stage/list" ] && [ ! -e "$stage/installed" ]; then
        cat "$stage/before" >>"$stage/list"
        write_list
        say "stopped half-way: run it again, or $prefix/share/tegu/uninstall.sh" >&2
    fi
    rm -rf "$stage"
}

# CMake puts everything below a folder of ours; from there it is copied file by file, so that each is known.
stage_files() {
    stage=$(mktemp -d)
    trap leave EXIT
    if ! DESTDIR=$stage/tree TEGU_SYSTEMD_VERSION=$version cmake -DCMAKE_INSTALL_PREFIX="${prefix:-/}" -P "$build/cmake_install.cmake" >"$stage/log" 2>&1; then
        sed -n '/^CMake Error/,/^Call Stack/{/^Call Stack/!p}' "$stage/log" | grep . >&2 || tail -5 "$stage/log" >&2
        fail "CMake could not install from $build"
    fi
    if exists "$destdir$list"; then cp "$destdir$list" "$stage/before"; else : >"$stage/before"; fi
    before=$(cat "$stage/before")
    : >"$stage/list"
}

# Everything below a folder, to the same place below the root; folder by folder, as a tree copied whole would change the modes of what is there.
copy_tree() {
    local tree=$1 folder path paths
    while IFS= read -r folder; do
        paths=()
        for path in "$tree$folder"/*; do
            if [ -d "$path" ] && [ ! -L "$path" ]; then continue; fi
            paths+=("$path")
            record "file ${path#"$tree"}"
        done
        [ ${#paths[@]} -eq 0 ] || copy "$folder" "${paths[@]}"
    done < <(cd "$tree" && find . -mindepth 1 -type d ! -empty | sed 's/^\.//')
}

# systemd looks below /usr and /usr/local only: units, users and drop-ins that lie elsewhere are linked from /etc, and the catalog from /usr/local.
link_units() {
    local path
    case $prefix in '' | /usr | /usr/local) return 0 ;; esac
    while IFS= read -r path; do
        mkdir -p "$stage/links/etc/$(dirname "$path")"
        ln -s "$prefix/lib/$path" "$stage/links/etc/$path"
    done < <(cd "$stage/tree$prefix/lib" && find systemd/system sysusers.d tmpfiles.d -type f)
    mkdir -p "$stage/links/usr/local/lib/systemd/catalog"
    ln -s "$prefix/lib/systemd/catalog/tegu.catalog" "$stage/links/usr/local/lib/systemd/catalog/"
    copy_tree "$stage/links"
}

put_dropins() {
    local file name needs folder=$stage/tree$prefix/share/tegu/dropins
    for file in "$folder"/50-*.conf; do
        name=$(basename "$file" .conf)
        name=${name#50-}
        needs=${name##*-}
        case $needs in *[!0-9]*) needs=237 ;; *) name=${name%-*} ;; esac
        if ! wanted "$name"; then
            continue
        elif [ "$version" -ge "$needs" ]; then
            put_settings "$file" "/etc/systemd/system/tegud.service.d/$(basename "$file")"
            case "$chosen " in *" $name "*) ;; *) chosen+=" $name" ;; esac
        elif ! exists "$folder/50-$name.conf"; then
            say "left out the drop-in $name, which needs systemd $needs; this is $version"
        fi
    done
}

# A drop-in that was asked for now, or once before and not taken back since.
wanted() {
    case " ${no_dropins[*]-} " in *" $1 "*) return 1 ;; esac
    case " ${dropins[*]-} " in *" $1 "*) return 0 ;; esac
    grep -qE "^conf [0-9a-f]+ /etc/systemd/system/tegud\.service\.d/50-$1(-[0-9]+)?\.conf\$" "$stage/before"
}

put_textfile() {
    if [ $textfile = yes ] || grep -qE '^conf [0-9a-f]+ /etc/tmpfiles\.d/tegud-textfile\.conf$' "$stage/before"; then
        put_settings "$stage/tree$prefix/share/tegu/tmpfiles-textfile.conf" /etc/tmpfiles.d/tegud-textfile.conf
    fi
}

paths() { sed -n 's/^file //p; s/^conf [0-9a-f]* //p' "$1" | LC_ALL=C sort -u; }

# Removes what an earlier installation put and this one did not, and writes the new list.
finish_list() {
    local path
    while IFS= read -r path; do
        rm -f "$destdir$path"
        say "removed $path"
    done < <(LC_ALL=C comm -23 <(paths "$stage/before") <({ paths "$stage/list"; echo "$list"; } | LC_ALL=C sort))
    write_list
}

write_list() {
    record "file $list"
    { echo "# What scripts/install.sh put here; uninstall.sh reads it."; grep -v '^#' "$stage/list" | LC_ALL=C sort -u; } >"$stage/installed"
    copy "$(dirname "$list")" "$stage/installed"
}

# Users and groups are recorded if they were not there.
make_users() {
    local kind name
    here || return 0
    while read -r kind name; do
        if grep -qxF "$kind $name" "$stage/before" || ! getent "$kind" "$name" >/dev/null; then record "$kind $name"; fi
    done <<<$'passwd tegud\npasswd tegud-textfile\ngroup tegu-clients'
    systemd-sysusers "$prefix/lib/sysusers.d/tegud.conf"
    for name in ${users[0]:+"${users[@]}"}; do
        usermod -a -G tegu-clients "$name"
        say "$name may connect, after the next login"
    done
}

make_folders_of_tmpfiles() {
    here && command -v systemd-tmpfiles >/dev/null || return 0
    if exists /etc/tmpfiles.d/tegud-textfile.conf; then
        make_folder /var/lib/prometheus/node-exporter
        record "file /var/lib/prometheus/node-exporter/tegu.prom"
    fi
}

start_service() {
    here || return 0
    if command -v ldconfig >/dev/null; then ldconfig; fi
    if ! runs_systemd; then say "systemd does not run here: nothing was enabled or started"; return 0; fi
    systemd-tmpfiles --create $(for path in "$prefix/lib/tmpfiles.d/tegud.conf" /etc/tmpfiles.d/tegud-textfile.conf; do ! exists "$path" || echo "$path"; done)
    systemctl daemon-reload
    journalctl --update-catalog || say "journalctl -x will not explain the messages of tegud"
    if [ $start = no ]; then say "nothing was enabled or started; to do it: systemctl enable --now tegud.socket"; return 0; fi
    systemctl --quiet enable tegud.socket
    systemctl start tegud.socket
    if [ $textfile = yes ]; then systemctl --quiet enable --now tegud-textfile.timer; fi
    if systemctl --quiet is-active tegud.service; then restart_service; fi
}

# A daemon that would not start with the settings that are there stays as it is.
restart_service() {
    if ! "$prefix/sbin/tegud" --check-config >/dev/null; then
        say "tegud goes on in its old version, since the new one would not start: mend the settings, then systemctl restart tegud"
        exit_code=78
        return 0
    fi
    if systemctl restart tegud.service; then
        say "restarted tegud"
    else
        say "tegud does not start: journalctl -u tegud says why"
        exit_code=1
    fi
}

report() {
    local files
    files=$(grep -c '^file ' "$stage/installed")
    say "$files files below ${destdir:-/}, programs in $prefix, units for systemd $version${chosen:+, drop-ins:$chosen}"
    if runs_systemd && [ $start = yes ]; then say "clients connect to /run/tegud/tegud.sock, which starts the daemon; try: sudo tegu ping"; fi
    if here && [ ${#users[@]} -eq 0 ] && [ -n "${SUDO_USER:-}" ] && [ "$SUDO_USER" != root ]; then
        say "to let $SUDO_USER connect: usermod -a -G tegu-clients $SUDO_USER"
    fi
    say "to undo it: $prefix/share/tegu/uninstall.sh"
}

main() {
    umask 022
    parse "$@"
    check_needs
    build_first
    become_root "$@" --build "$build" --prefix "$prefix"
    find_version
    stage_files
    chosen=''
    copy_tree "$stage/tree"
    link_units
    put_settings "$stage/tree$prefix/share/doc/tegu/tegud.toml" /etc/tegud/tegud.toml
    put_dropins
    put_textfile
    make_users
    make_folders_of_tmpfiles
    finish_list
    start_service
    report
    exit "$exit_code"
}

main "$@"
