#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Makes the packages of one architecture: cross-builds with clang for glibc 2.27, and hands the files to debhelper. FOLDER then is an apt
# repository with the packages, beside a tarball with the same and a wheel for Python. See docs/packages.md.
#   usage: scripts/package.sh [--arch arm64|amd64] [--out FOLDER] [--sign KEY] [--cuda LIST] [--module FILE]...
#     --arch ARCH      for which machines (default: arm64)
#     --out FOLDER     where to; packages of the other architecture may lie there already (default: build/packages)
#     --cuda LIST      builds the CUDA modules of these versions, "11 12 13" say; none: no module (default: all for arm64, else none)
#     --module FILE    a CUDA module that is there already, tegu-cuda-13.so say, becomes the package tegu-cuda-13; again for more
#     --sign KEY       signs the repository with this key of gpg
# Runs on Debian 12. Installs what it needs (scripts/install-deps.sh package) and fetches some 120 MB, once; 300 MB for modules.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "package: $1" >&2; exit "${2:-1}"; }
say() { echo "package: $*"; }

arch=arm64 out=build/packages sign='' cuda='' modules=()
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help) sed -n '3,/^[^#]/{/^# \{0,1\}/{s///;p}}' "$0"; exit 0 ;;
    --arch | --out | --sign | --cuda | --module) [ $# -gt 1 ] || fail "$1 needs a value" 64 ;;
    esac
    case $1 in
    --arch) arch=$2 ;;
    --out) out=$2 ;;
    --sign) sign=$2 ;;
    --cuda) cuda=$2 ;;
    --module) [ -e "$2" ] || fail "there is no file $2" 66; modules+=("$(readlink -f "$2")") ;;
    *) fail "unknown argument '$1'; --help shows the usage" 64 ;;
    esac
    shift 2
done
case $arch in
arm64) triple=aarch64-linux-gnu ;;
amd64) triple=x86_64-linux-gnu ;;
*) fail "--arch is arm64 or amd64, not '$arch'" 64 ;;
esac
[ -n "$cuda" ] || case $arch in arm64) cuda="11 12 13" ;; amd64) cuda=none ;; esac
case " $cuda " in " none ") cuda='' ;; *[!\ 123]*) fail "--cuda is a list of 11, 12 and 13, or none, not '$cuda'" 64 ;; esac

version=$(sed -n 's/^project(tegu VERSION \([0-9.]*\).*/\1/p' CMakeLists.txt)
floor=2.27  # glibc of Ubuntu 18.04, which JetPack 4 is
source=$PWD
mkdir -p "build/package/made-$arch" "$out"
out=$(cd "$out" && pwd)
work=$PWD/build/package
build=$work/$arch  # of CMake; all else that is made for this architecture lies in the other folder
made=$work/made-$arch
tools=$work/tools-$arch
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || stat -c %Y CMakeLists.txt)
export SOURCE_DATE_EPOCH ZIG_GLOBAL_CACHE_DIR=$work/zig-cache

fetch_compiler() {
    zig=$(scripts/zig.sh)
    mkdir -p "$tools"
    # Boost 1.74 derives from a class that C++17 has taken out of the library.
    local tool removed=-D_LIBCPP_ENABLE_CXX17_REMOVED_UNARY_BINARY_FUNCTION
    for tool in cc c++; do
        printf '#!/bin/sh\nexec %q %s -target %s.%s -g0 %s "$@"\n' "$zig" $tool $triple $floor $removed >"$tools/$tool"
    done
    for tool in ar ranlib; do printf '#!/bin/sh\nexec %q %s "$@"\n' "$zig" $tool >"$tools/$tool"; done
    chmod +x "$tools"/*
}

# Headers and libraries of the target from Debian's packages, by an apt with lists of its own: this machine gets nothing of another architecture.
fetch_sysroot() {
    sysroot=$work/sysroot-$arch
    [ ! -e "$sysroot/complete" ] || return 0
    say "fetching headers and libraries for $arch"
    rm -rf "$sysroot"
    mkdir -p "$sysroot"/{apt/lists/partial,apt/cache/archives/partial,download}
    : >"$sysroot/apt/status"
    local options=(-q -q -o "APT::Architecture=$arch" -o "APT::Architectures::=$arch" -o "APT::Sandbox::User=root"
        -o "Dir::State=$sysroot/apt" -o "Dir::State::lists=$sysroot/apt/lists" -o "Dir::State::status=$sysroot/apt/status"
        -o "Dir::Cache=$sysroot/apt/cache")
    apt-get "${options[@]}" update
    (cd "$sysroot/download" && apt-get "${options[@]}" download libboost1.74-dev libcli11-dev libncurses-dev libpng-dev libsystemd-dev libsystemd0 \
        libtomlplusplus-dev zlib1g-dev)
    local package
    for package in "$sysroot"/download/*.deb; do dpkg-deb -x "$package" "$sysroot"; done
    # All but libsystemd is linked in: the versions of these libraries differ from one JetPack to the next.
    rm -rf "$sysroot"/usr/lib/$triple/lib{png,png16,z,ncursesw,tinfo}.so "$sysroot/apt" "$sysroot/download"
    touch "$sysroot/complete"
}

compile() {
    say "building for $arch"
    export PKG_CONFIG_SYSROOT_DIR=$sysroot PKG_CONFIG_LIBDIR=$sysroot/usr/lib/$triple/pkgconfig:$sysroot/usr/share/pkgconfig
    {
        cmake -S . -B "$build" -G Ninja -DCMAKE_TOOLCHAIN_FILE="$source/packaging/zig.cmake" -DCMAKE_BUILD_TYPE=Release \
            -DTEGU_PACKAGE_TRIPLE=$triple -DTEGU_PACKAGE_TOOLS="$tools" -DTEGU_PACKAGE_SYSROOT="$sysroot" \
            -DCMAKE_INSTALL_PREFIX=/usr -DCMAKE_INSTALL_LIBDIR=lib/$triple -DCMAKE_SKIP_INSTALL_RPATH=ON \
            -DTEGU_SYSTEMD_UNIT_DIR=/lib/systemd/system -DTEGU_ZSH_DIR=share/zsh/vendor-completions \
            -DTEGU_TESTS=OFF -DTEGU_BENCH=OFF -DTEGU_CUDA=off -DTEGU_UNITY=ON
        cmake --build "$build" --parallel "${JOBS:-$(nproc)}" --target tegu_client tegud tegu tegu-bench tegu-tune
    } >"$made/build.log" 2>&1 || { tail -40 "$made/build.log" >&2; fail "the build failed; the whole output is in $made/build.log"; }
}

# What CMake installs, the settings file at its place, and the Python package, into debian/tmp of a folder for debhelper.
lay_out() {
    tree=$made/tree
    rm -rf "$tree"
    mkdir -p "$tree"
    cp -r packaging/debian "$tree/debian"
    cp CHANGELOG.md "$tree/debian/CHANGELOG.md"
    printf 'tegu (%s) stable; urgency=medium\n\n  * See changelog.gz of this package.\n\n -- %s  %s\n' "$version" \
        "$(sed -n 's/^Maintainer: //p' packaging/debian/control)" "$(date -uRd "@$SOURCE_DATE_EPOCH")" >"$tree/debian/changelog"
    DESTDIR=$tree/debian/tmp TEGU_SYSTEMD_VERSION=237 cmake --install "$build" >"$made/install.log" || fail "cmake --install failed"
    # Drop-ins for newer versions are chosen when the package is configured.
    rm -rf "$tree"/debian/tmp/lib/systemd/system/*.d
    install -D -m 644 "$tree/debian/tmp/usr/share/doc/tegu/tegud.toml" "$tree/debian/tmp/etc/tegud/tegud.toml"
}

build_modules() {
    local major
    for major in $cuda; do
        scripts/build-module.sh --cuda "$major" --arch "$arch" --out "build/module/$arch"
        modules+=("build/module/$arch/tegu-cuda-$major.so")
    done
}

# The modules that were built or given; sources and command to build one on a board. Packages of modules that are not there are left out.
lay_out_cuda() {
    local module number folder=$tree/debian/tmp
    for module in ${modules[0]:+"${modules[@]}"}; do install -D -m 644 -t "$folder/usr/lib/$triple/tegu" "$module"; done
    for number in 11 12 13; do
        [ -e "$folder/usr/lib/$triple/tegu/tegu-cuda-$number.so" ] ||
            perl -00 -ni -e "print unless /^Package: tegu-cuda-$number\$/m" "$tree/debian/control"
    done
    install -D -m 755 -t "$folder/usr/sbin" packaging/tegu-build-cuda
    install -D -m 644 -t "$folder/usr/share/man/man8" packaging/tegu-build-cuda.8
    mkdir -p "$folder/usr/src/tegu-cuda"
    cp -r CMakeLists.txt cmake base kernels "$folder/usr/src/tegu-cuda/"
}

# The wheel has the library inside; the Debian package is the same without, for libtegu0 has it, and fits every architecture.
make_wheel() {
    local packages=$tree/debian/tmp/usr/lib/python3/dist-packages folder
    cp "$tree/debian/tmp/usr/lib/$triple/libtegu.so.0" "$made/"
    "$triple-strip" --strip-unneeded "$made/libtegu.so.0"
    rm -rf "$made/wheel"
    TEGU_LIBRARY=$made/libtegu.so.0 /usr/bin/python3 -m pip wheel --no-deps --no-build-isolation --no-index -w "$made/wheel" client/python \
        >"$made/wheel.log" 2>&1 || { tail -20 "$made/wheel.log" >&2; fail "the wheel failed; the whole output is in $made/wheel.log"; }
    mkdir -p "$packages"
    unzip -q "$made"/wheel/*.whl -d "$made/wheel"
    # A setuptools of another age puts the package into a folder of its own.
    for folder in "$made"/wheel/tegu-*.data/*lib/tegu "$made"/wheel/tegu "$made"/wheel/tegu-*.dist-info; do
        if [ -d "$folder" ]; then mv "$folder" "$packages/"; fi
    done
    rm "$packages/tegu/libtegu.so.0" "$packages"/tegu-*.dist-info/RECORD
    sed -i 's/^Tag: .*/Tag: py3-none-any/' "$packages"/tegu-*.dist-info/WHEEL
    cp "$made"/wheel/*.whl "$out/"
}

make_packages() {
    say "making packages"
    (cd "$tree" && dpkg-buildpackage --host-arch "$arch" -b -us -uc -d) >"$made/debian.log" 2>&1 ||
        { tail -30 "$made/debian.log" >&2; fail "debhelper failed; the whole output is in $made/debian.log"; }
    rm -f "$out"/tegu_*_"$arch".changes
    mv "$made"/*.deb "$out/"
    mv "$made"/*.changes "$made"/*.buildinfo "$out/"
}

# For machines without dpkg: the same files, to be unpacked at the root.
make_tarball() {
    local name=tegu-$version-$arch folder package
    folder=$(mktemp -d "$work/tarball.XXXXXX")
    for package in "$out"/*_"${version}_$arch".deb "$out"/*_"${version}_all".deb; do dpkg-deb -x "$package" "$folder/$name"; done
    tar -C "$folder" --sort=name --owner=0 --group=0 --mtime="@$SOURCE_DATE_EPOCH" -cJf "$out/$name.tar.xz" "$name"
    rm -rf "$folder"
}

# The folder as an apt source: of all packages in it, also those of the other architecture.
make_repository() {
    local names
    cd "$out"
    apt-ftparchive packages . >Packages
    gzip -9nkf Packages
    names=$(ls -- *.deb | sed -n 's/.*_\(.*\)\.deb$/\1/p' | grep -v '^all$' | sort -u | tr '\n' ' ')
    rm -f Release Release.gpg InRelease
    apt-ftparchive -o APT::FTPArchive::Release::Origin=tegu -o APT::FTPArchive::Release::Label=tegu \
        -o "APT::FTPArchive::Release::Architectures=${names% }" release . >"$work/Release"
    mv "$work/Release" Release
    if [ -n "$sign" ]; then
        gpg --batch --yes --local-user "$sign" --armor --detach-sign --output Release.gpg Release
        gpg --batch --yes --local-user "$sign" --clearsign --output InRelease Release
        gpg --batch --yes --armor --output tegu-archive-key.asc --export "$sign"
    fi
    cd "$source"
}

report() {
    local package
    for package in "$out"/*"$version"*; do say "$(stat -c %s "$package") bytes: ${package##*/}"; done
    say "done: $out is an apt source, 'deb [trusted=yes] file:$out ./'"
}

main() {
    scripts/install-deps.sh package
    fetch_compiler
    fetch_sysroot
    compile
    build_modules
    lay_out
    lay_out_cuda
    make_wheel
    make_packages
    scripts/check-symbols.sh --floor $floor "$out"/*_"${version}_$arch".deb "$made"/wheel/*.whl
    make_tarball
    make_repository
    report
}

main
