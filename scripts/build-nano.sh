#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Shows that the kernels compile for every Jetson from Nano to Orin. Fetches nvcc 11.8, the newest with sm_53 that Debian
# packages and that knows sm_87, builds the module of the daemon for sm_53 62 72 87, and prints time, registers and local memory of each file.
# Fails if the stripped module has more than 40 MB, or a kernel keeps more than --spills bytes of a thread in local memory.
# It runs on no Nano: there tegu is built with CUDA 10.2.
#   usage: scripts/build-nano.sh [--architectures "53;62;72;87"] [--spills BYTES] [FOLDER]      default FOLDER: build/nano
# Needs curl, dpkg-deb, unzip, pip, ninja and what scripts/install-deps.sh build installs; 150 MB of downloads, once, checked by their hashes.
set -euo pipefail
cd "$(dirname "$0")/.."

architectures="53;62;72;87" spills= folder=build/nano
while [ $# -gt 0 ]; do
    case $1 in
    --architectures) architectures=$2; shift 2 ;;
    --spills) spills=$2; shift 2 ;;
    -*) echo "build-nano: unknown argument '$1'" >&2; exit 64 ;;
    *) folder=$1; shift ;;
    esac
done
mkdir -p "$folder/download"
folder=$(cd "$folder" && pwd)
toolkit=$folder/toolkit

fetch() {  # SHA256 URL
    local file=$folder/download/${2##*/}
    if ! echo "$1  $file" | sha256sum --check --status 2>/dev/null; then
        curl -fsSL --retry 3 -o "$file" "$2"
        echo "$1  $file" | sha256sum --check --quiet
    fi
}

debian=$(scripts/mirror.sh debian)/pool
fetch d1156026e704fe0368b6295db06224ed00a727966fb13454f34e3f3102db0457 "$debian/non-free/n/nvidia-cuda-toolkit/nvidia-cuda-toolkit_11.8.89~11.8.0-5~deb12u1_amd64.deb"
fetch ffd171e4df5bbc0ace8ecc6efcb6192a8f64fa5bb22ef2f193be66a43431c356 "$debian/main/g/gcc-11/gcc-11_11.3.0-12_amd64.deb"
fetch 4ccab3ebfb3edd0c32a5f7abe98fcb1865e52c369418fe468c1f793e5ccda1f5 "$debian/main/g/gcc-11/g++-11_11.3.0-12_amd64.deb"
fetch 2fffa4164a7d4103c410fce5b76fae2cb9508e6f0095c99a6f91f686566a22a1 "$debian/main/g/gcc-11/cpp-11_11.3.0-12_amd64.deb"
fetch ca9f6d0e48c482e32b5198b4dd6bd406b4eeb79b8557acc7ce4e89697cd6afa0 "$debian/main/g/gcc-11/libgcc-11-dev_11.3.0-12_amd64.deb"
fetch 9db1a0a4f4db845191380e25ce7d8669ee4785e24e9550c2fcd79d010ea2d513 "$debian/main/g/gcc-11/libstdc++-11-dev_11.3.0-12_amd64.deb"
wheels=("nvidia-cuda-runtime-cu11==11.8.89 --hash=sha256:f587bd726eb2f7612cf77ce38a2c1e65cf23251ff49437f6161ce0d647f64f7c"
    "nvidia-cuda-nvcc-cu11==11.8.89 --hash=sha256:3e25894debe6ce87e6dbb99b2311fba6f56c1b647daae2c4e5de537dc5d88876")
printf '%s\n' "${wheels[@]}" >"$folder/download/wheels.txt"
[ -e "$toolkit/complete" ] || python3 -m pip download -q --no-deps --only-binary=:all: --platform manylinux1_x86_64 --require-hashes \
    -r "$folder/download/wheels.txt" -d "$folder/download"

# A root of its own: another toolkit's headers, in /usr/local/include say, must not be seen.
if [ ! -e "$toolkit/complete" ]; then
    rm -rf "$toolkit" "$folder/unpacked"
    mkdir -p "$toolkit"/{bin,nvvm/bin,lib64} "$folder/unpacked"
    for package in "$folder"/download/*.deb; do dpkg-deb -x "$package" "$folder/unpacked"; done
    for wheel in "$folder"/download/*.whl; do unzip -qo "$wheel" -d "$folder/unpacked"; done
    tools=$folder/unpacked/usr/lib/nvidia-cuda-toolkit
    cp "$folder"/unpacked/usr/bin/{cudafe++,fatbinary,ptxas,nvlink,cuobjdump,nvdisasm,bin2c} "$tools/bin/nvcc" "$toolkit/bin/"
    cp -r "$tools/bin/crt" "$toolkit/bin/"
    cp "$tools/bin/cicc" "$toolkit/nvvm/bin/"
    cp -r "$tools/libdevice" "$toolkit/nvvm/"
    cp -r "$folder/unpacked/nvidia/cuda_runtime/include" "$toolkit/"
    cp -r "$folder/unpacked/nvidia/cuda_nvcc/include/." "$toolkit/include/"
    cp "$folder/unpacked/nvidia/cuda_runtime/lib/libcudart.so.11.0" "$toolkit/lib64/"
    ln -s libcudart.so.11.0 "$toolkit/lib64/libcudart.so"
    # The wheel has no static library: the linker takes the shared one in its place.
    echo "INPUT($toolkit/lib64/libcudart.so.11.0)" >"$toolkit/lib64/libcudart_static.a"
    ar rc "$toolkit/lib64/libcudadevrt.a"  # nvcc asks for it; nothing is in it that the kernels use
    cat >"$toolkit/bin/nvcc.profile" <<'PROFILE'
TOP              = $(_HERE_)/..
NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice
PATH            += $(TOP)/nvvm/bin:$(_HERE_):
INCLUDES        +=  "-I$(TOP)/include" $(_SPACE_)
LIBRARIES       =+ $(_SPACE_) "-L$(TOP)/lib64"
PROFILE
    touch "$toolkit/complete"
fi

run() { env -i HOME="${HOME:-/}" PATH="$toolkit/bin:/usr/bin:/bin" "$@"; }
launcher=()  # for the host's code alone: what device code takes is measured
if command -v ccache >/dev/null; then launcher=("-DCMAKE_CXX_COMPILER_LAUNCHER=$(command -v ccache)"); fi
build=$folder/build
if ! { run cmake -S . -B "$build" -G Ninja -DTEGU_MODULE_ONLY=ON "-DTEGU_CUDA_ARCHITECTURES=$architectures" \
    -DTEGU_WERROR=ON -DCMAKE_BUILD_TYPE=Release "${launcher[@]}" -DCMAKE_CUDA_COMPILER="$toolkit/bin/nvcc" -DCUDAToolkit_ROOT="$toolkit" \
    -DCMAKE_CUDA_HOST_COMPILER="$folder/unpacked/usr/bin/x86_64-linux-gnu-g++-11" &&
    run cmake --build "$build" --parallel "${JOBS:-$(nproc)}" --target cuda-module; } >"$folder/build.log" 2>&1; then
    grep -E -A 12 'error|Error|FAILED' "$folder/build.log" | head -60 >&2 || tail -30 "$folder/build.log" >&2
    echo "build-nano: the build failed; the whole output is in $folder/build.log" >&2
    exit 1
fi

cp "$build"/lib/tegu/tegu-cuda-*.so "$folder/module.so"
strip "$folder/module.so"
python3 - "$build" "$toolkit/bin/cuobjdump" "$folder/module.so" "$spills" "$architectures" <<'PYTHON'
import os, re, subprocess, sys
build, cuobjdump, module, allowed, architectures = sys.argv[1:]
seconds = {}
with open(os.path.join(build, ".ninja_log")) as log:
    for line in log:
        fields = line.rstrip("\n").split("\t")
        if len(fields) == 5 and fields[3].endswith(".cu.o"):
            seconds[fields[3]] = (int(fields[1]) - int(fields[0])) / 1000.0
print("| file | seconds | kernels | most registers | most local memory, bytes | kernels that have some |\n|---|---|---|---|---|---|")
worst, total = 0, 0.0
for name in sorted(seconds):
    text = subprocess.run([cuobjdump, "-res-usage", os.path.join(build, name)], check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT).stdout.decode()
    usage = [(int(registers), int(stack), int(local)) for registers, stack, local in re.findall(r"REG:(\d+) STACK:(\d+) SHARED:\d+ LOCAL:(\d+)", text)]
    spilling = sum(1 for _, stack, local in usage if stack + local > 0)
    worst = max([worst] + [stack + local for _, stack, local in usage])
    total += seconds[name]
    print("| %s | %.1f | %d | %d | %d | %d |" % (os.path.basename(name)[:-2], seconds[name], len(usage), max([u[0] for u in usage] or [0]),
                                             max([u[1] + u[2] for u in usage] or [0]), spilling))
size = os.path.getsize(module)
print("\nsm_%s: %.0f s of device code in all; the module, stripped, with the shared CUDA runtime: %.1f MB" % (architectures.replace(";", " "), total, size / 1e6))
if allowed and worst > int(allowed):
    sys.exit("build-nano: a kernel keeps %d bytes in local memory, more than %s" % (worst, allowed))
if size > 40e6:
    sys.exit("build-nano: the module has more than 40 MB")
PYTHON
