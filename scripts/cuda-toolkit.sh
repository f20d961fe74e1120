#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Lays out one CUDA toolkit, as far as the kernels need it, in a folder of its own: nvcc that runs here, and the runtime
# library of the machines that the code is for. 11 and 12 are Debian's nvcc, the newest that know the old Jetsons; 13 is
# NVIDIA's. All is fetched once, by hash, some 100 MB.
#   usage: scripts/cuda-toolkit.sh 11|12|13 arm64|amd64 FOLDER
# Needs curl, dpkg-deb, unzip and pip. FOLDER/toolkit has bin/nvcc, FOLDER/unpacked what it was made of.
set -euo pipefail
cd "$(dirname "$0")/.."

fail() { echo "cuda-toolkit: $1" >&2; exit "${2:-1}"; }
[ $# = 3 ] || fail "usage: scripts/cuda-toolkit.sh 11|12|13 arm64|amd64 FOLDER" 64
major=$1 arch=$2
mkdir -p "$3/download"
folder=$(cd "$3" && pwd)
toolkit=$folder/toolkit
[ ! -e "$toolkit/complete" ] || exit 0

pool=non-free/n/nvidia-cuda-toolkit/nvidia-cuda-toolkit_
nvcc='' wheels=()
# Only the folder nv of it is taken, which is the same for CUDA 12: the wheel of 12 has no headers.
cccl="nvidia-cuda-cccl==13.0.85 e0da7ad981f3a8aff08241b5bfc1af868742a63e2762f53a5171c492ef242649"
case $major-$arch in
11-*)
    nvcc="d1156026e704fe0368b6295db06224ed00a727966fb13454f34e3f3102db0457 ${pool}11.8.89~11.8.0-5~deb12u1_amd64.deb"
    wheels=("nvidia-cuda-nvcc-cu11==11.8.89 3e25894debe6ce87e6dbb99b2311fba6f56c1b647daae2c4e5de537dc5d88876") ;;
12-*)
    nvcc="cd5fe85aee38d108b315f408a688641478f2402622a10c677478eb7a6c4e5319 ${pool}12.4.131~12.4.1-2_amd64.deb"
    wheels=("nvidia-cuda-nvcc-cu12==12.4.131 e4c9a35435c3b0e36c6397c5696334c9ea6650e524736cbd1c5d345ea099bb04" "$cccl") ;;
13-*)
    wheels=("$cccl" "nvidia-cuda-nvcc==13.0.88 56fe502eb77625a12f25172caa3cdddb4e4c8ba2c8c17dba44b164761b380f03"
        "nvidia-cuda-crt==13.0.88 2c8043c7c9e02492716426e9919fc78d2c5b3b2a7a768a88e952676b08aa55a4"
        "nvidia-nvvm==13.0.88 c5f41ffeb6466944a026dfa5317d7d85355c119bbec279205d22f1869d1054e0") ;;
esac
case $major-$arch in
11-amd64) runtime="nvidia-cuda-runtime-cu11==11.8.89 f587bd726eb2f7612cf77ce38a2c1e65cf23251ff49437f6161ce0d647f64f7c" ;;
11-arm64) runtime="nvidia-cuda-runtime-cu11==11.8.89 e53bf160b6b660819cb6e4a9da2cc89e6aa2329858299780a2459780a2b8d012" ;;
12-amd64) runtime="nvidia-cuda-runtime-cu12==12.4.127 64403288fa2136ee8e467cdc9c9427e0434110899d07c779f25b5c068934faa5" ;;
12-arm64) runtime="nvidia-cuda-runtime-cu12==12.4.127 961fe0e2e716a2a1d967aab7caee97512f71767f852f67432d572e36cb3a11f3" ;;
13-amd64) runtime="nvidia-cuda-runtime==13.0.96 7f82250d7782aa23b6cfe765ecc7db554bd3c2870c43f3d1821f1d18aebf0548" ;;
13-arm64) runtime="nvidia-cuda-runtime==13.0.96 ef9bcbe90493a2b9d810e43d249adb3d02e98dd30200d86607d8d02687c43f55" ;;
*) fail "allowed: 11, 12, 13 for arm64 or amd64, not '$major' for '$arch'" 64 ;;
esac

# wheel MACHINE "NAME==VERSION HASH"
wheel() {
    echo "${2% *} --hash=sha256:${2#* }" >"$folder/download/wheel.txt"
    /usr/bin/python3 -m pip download -q --no-deps --only-binary=:all: --platform "manylinux2014_$1" --platform "manylinux2010_$1" \
        --platform "manylinux1_$1" --require-hashes -r "$folder/download/wheel.txt" -d "$folder/download"
}

# A root of its own: another toolkit's headers, in /usr/local/include say, must not be seen.
rm -rf "$toolkit" "$folder/unpacked"
rm -f "$folder"/download/*.whl  # of another version
mkdir -p "$toolkit"/{bin,nvvm/bin,include,lib64/stubs} "$folder/unpacked"
for one in "${wheels[@]}"; do wheel x86_64 "$one"; done
case $arch in arm64) wheel aarch64 "$runtime" ;; amd64) wheel x86_64 "$runtime" ;; esac
for file in "$folder"/download/*.whl; do unzip -qo "$file" -d "$folder/unpacked"; done

if [ -n "$nvcc" ]; then
    file=$folder/download/nvcc.deb
    echo "${nvcc% *}  $file" >"$folder/download/nvcc.sum"
    if ! sha256sum --check --status "$folder/download/nvcc.sum" 2>/dev/null; then
        curl -fsSL --retry 3 -o "$file" "$(scripts/mirror.sh debian)/pool/${nvcc#* }"
        sha256sum --check --quiet "$folder/download/nvcc.sum"
    fi
    dpkg-deb -x "$file" "$folder/unpacked"
    tools=$folder/unpacked/usr/lib/nvidia-cuda-toolkit
    cp "$folder"/unpacked/usr/bin/{cudafe++,fatbinary,ptxas,nvlink,cuobjdump,nvdisasm,bin2c} "$tools/bin/nvcc" "$toolkit/bin/"
    cp -r "$tools/bin/crt" "$toolkit/bin/"
    cp "$tools/bin/cicc" "$toolkit/nvvm/bin/"
    cp -r "$tools/libdevice" "$toolkit/nvvm/"
    cp -r "$folder/unpacked/nvidia/cuda_runtime/include/." "$folder/unpacked/nvidia/cuda_nvcc/include/." "$toolkit/include/"
    cp "$folder"/unpacked/nvidia/cuda_runtime/lib/libcudart.so.* "$toolkit/lib64/"
    [ "$major" = 11 ] || cp -r "$folder/unpacked/nvidia/cu13/include/nv" "$toolkit/include/"
    cat >"$toolkit/bin/nvcc.profile" <<'PROFILE'
TOP              = $(_HERE_)/..
NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice
PATH            += $(TOP)/nvvm/bin:$(_HERE_):
INCLUDES        +=  "-I$(TOP)/include" $(_SPACE_)
LIBRARIES       =+ $(_SPACE_) "-L$(TOP)/lib64"
PROFILE
else
    cp -r "$folder"/unpacked/nvidia/cu13/{bin,nvvm,include} "$toolkit/"
    cp "$folder"/unpacked/nvidia/cu13/lib/libcudart.so.* "$toolkit/lib64/"
    chmod +x "$toolkit"/bin/* "$toolkit"/nvvm/bin/*
    ln -sfn lib64 "$toolkit/lib"
fi
library=$(basename "$toolkit"/lib64/libcudart.so.*)
ln -s "$library" "$toolkit/lib64/libcudart.so"
# The wheel has no static library: the linker takes the shared one in its place.
echo "INPUT($toolkit/lib64/$library)" >"$toolkit/lib64/libcudart_static.a"
ar rc "$toolkit/lib64/libcudadevrt.a"  # nvcc asks for it; nothing is in it that the kernels use
touch "$toolkit/complete"
