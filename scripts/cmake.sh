# SPDX-License-Identifier: Apache-2.0
# Sourced by scripts that build, in the root of the sources: CMake by the words that 3.10 knows (JetPack 4), a
# compiler that is new enough, and the usage of a script.

# show_usage FILE: the comment that a script opens with.
show_usage() { sed -n '3,/^[^#]/{/^# \{0,1\}/{s///;p}}' "$1"; }

# cmake_is VERSION: whether CMake is that or newer.
cmake_is() {
    local version
    version=$(cmake --version | sed -n 's/^cmake version \([0-9]*\.[0-9]*\).*/\1/p')
    [ "$(printf '%s\n' "$1" "$version" | sort -V | head -1)" = "$1" ]
}

# choose_compiler FOLDER: g++-8 where the default is an older g++ and nobody named another. The compiler of a build
# folder that is there stays.
choose_compiler() {
    local major
    [ -z "${CXX:-}" ] && [ ! -e "$1/CMakeCache.txt" ] || return 0
    major=$(c++ -dumpversion 2>/dev/null | cut -d . -f 1) || return 0
    if ! c++ --version | grep -q 'Free Software' || [ "${major:-8}" -ge 8 ]; then return 0; fi
    if ! command -v g++-8 >/dev/null; then
        echo "the default compiler is g++ $major, too old for C++17; scripts/install-deps.sh installs g++-8" >&2
        return 0
    fi
    echo "the default compiler is g++ $major: taking g++-8" >&2
    export CC=gcc-8 CXX=g++-8 CUDAHOSTCXX=${CUDAHOSTCXX-$(command -v g++-8)}
}

# configure_folder FOLDER OPTION...: what cmake -S . -B FOLDER does from 3.13 on. Ninja if it is there.
configure_folder() {
    local folder=$1 source=$PWD launcher options=()
    shift
    case " $* " in *" -G "*) ;; *) if command -v ninja >/dev/null; then options=(-G Ninja); fi ;; esac
    if ! cmake_is 3.17; then  # it does not read these from the environment
        for launcher in CMAKE_C_COMPILER_LAUNCHER CMAKE_CXX_COMPILER_LAUNCHER; do
            [ -z "${!launcher:-}" ] || options+=("-D$launcher=${!launcher}")
        done
    fi
    mkdir -p "$folder"
    (cd "$folder" && cmake "${options[@]}" "$@" "$source")
}

# build_folder FOLDER TARGET...: what cmake --build --parallel --target does from 3.15 on; all targets if none is named.
build_folder() {
    local folder=$1
    shift
    cmake --build "$folder" -- -j "${JOBS:-$(nproc)}" "$@"
}
