#!/bin/bash
# `./course setup`, and with --cuda NVIDIA's toolkit as Python packages in .course/cuda, without root.
# Sourced by ./course, which sets root and has sourced setup.sh and build.sh; doctor asks the driver with it.
# Invariant: .course/cuda is a whole toolkit of the packages in .course/cuda/packages.txt, or absent.

toolkit_folder=.course/cuda  # not in build/, so that it survives when that folder is deleted
toolkit_gigabytes=4          # for the packages and their unpacked files, briefly both at once

add_toolkit_to_path() {  # add_toolkit_to_path FOLDER-OF-THE-COURSE [PREFIX]
  # The course's own comes first: it was requested, perhaps because the system's is too old.
  [ -x "$1/$toolkit_folder/bin/nvcc" ] && PATH="$1/$toolkit_folder/bin:$PATH"
  # Everywhere else nvcc's usual place comes last: the first one on PATH wins.
  [ -d "${2:-}/usr/local/cuda/bin" ] && PATH="$PATH:${2:-}/usr/local/cuda/bin"
  # Where Windows keeps nvidia-smi for Linux programs.
  [ -d "${2:-}/usr/lib/wsl/lib" ] && PATH="$PATH:${2:-}/usr/lib/wsl/lib"
  export PATH
}

at_least() {  # at_least VERSION WANTED: compares major and minor, as numbers; an unknown version is too old
  [[ "$1" =~ ^([0-9]+)(\.([0-9]+))? ]] || return 1
  local major="${BASH_REMATCH[1]}" minor="${BASH_REMATCH[3]:-0}" wanted="$2.0"
  local wanted_minor="${wanted#*.}"
  wanted="${wanted%%.*}" wanted_minor="${wanted_minor%%.*}"
  [ "$major" -gt "$wanted" ] || { [ "$major" -eq "$wanted" ] && [ "$minor" -ge "$wanted_minor" ]; }
}

driver_cuda_version() {  # The newest CUDA that the driver serves, such as 12.4; nothing without a driver
  local answer driver
  answer="$(nvidia-smi 2>/dev/null)" || return 1
  # Newer drivers write "CUDA UMD Version".
  if [[ "$answer" =~ CUDA\ ([A-Z]+\ )?Version:\ *([0-9]+\.[0-9]+) ]]; then
    echo "${BASH_REMATCH[2]}" && return
  fi
  # A container may hide that field. The first drivers of CUDA 12 and 13 are 525.60 and 580.65.
  [[ "$answer" =~ Driver\ Version:\ *([0-9]+\.[0-9]+) ]] || return 1
  driver="${BASH_REMATCH[1]}"
  if at_least "$driver" 580.65; then echo 13.0; elif at_least "$driver" 525.60; then echo 12.0; else echo 11.0; fi
}

say_setup_help() {
  show_help <<'END_OF_HELP'
./course setup [--cuda [--force]]

Installs what is missing and builds the course's tool. Every command does so by itself.

  --cuda|also installs NVIDIA's CUDA Toolkit 13.0 with cuDNN and NCCL, as Python packages
  --force|with --cuda: installs the toolkit where there is no driver, too

The toolkit goes into .course/cuda: about 1.2 GB to download, 1.7 GB on disk. It needs an NVIDIA driver for CUDA 13.0 or later, and neither root nor a change of the system. Without a driver it compiles the CUDA code, and nothing can run it. To remove it:
  rm -rf .course/cuda build/release

Example: ./course setup --cuda && ./course run 4 --device cuda
END_OF_HELP
}

set_up_course() {  # set_up_course OPTION...
  local cuda=false force=false option
  for option; do
    case "$option" in
      -h | --help) say_setup_help && return ;;
      --cuda) cuda=true ;;
      --force) force=true ;;
      *)
        echo "setup: unknown option $option: type  ./course setup --help" >&2
        return 2
        ;;
    esac
  done
  if $force && ! $cuda; then
    echo "setup: --force goes with --cuda: type  ./course setup --help" >&2
    return 2
  fi
  if $cuda; then may_install_toolkit $force || return 1; fi
  # First the packages: nvcc needs g++, and the toolkit comes through pip.
  set_up base || return 1
  if $cuda; then install_toolkit && use_toolkit || return 1; fi
  build_targets course-tool || return 1
  say_cuda
  if $cuda && has_gpu; then echo "Ready. Next: ./course run 4 --device cuda"; else echo "Ready. Next: ./course list"; fi
}

may_install_toolkit() {  # may_install_toolkit FORCE: prints why not
  local cuda
  case "$(uname -m)" in
    x86_64 | aarch64) ;;
    *) echo "setup: NVIDIA has no CUDA Toolkit for $(uname -m); the course runs on cpu and sim" >&2 && return 1 ;;
  esac
  cuda="$(driver_cuda_version)" || cuda=""
  if [ -z "$cuda" ]; then
    if $1; then echo "setup: no NVIDIA driver answers here, so nothing can run what this toolkit compiles" && return; fi
    echo "setup: no NVIDIA driver answers here (nvidia-smi), and a toolkit alone runs nothing." >&2
    echo "setup: type  ./course doctor  to see why;  ./course setup --cuda --force  installs it anyway" >&2
    return 1
  fi
  if at_least "$cuda" 13.0; then return; fi
  if $1; then echo "setup: the driver serves CUDA $cuda only, so it will not run what this toolkit compiles" && return; fi
  echo "setup: the NVIDIA driver serves CUDA $cuda, and the course needs CUDA 13.0: driver 580.65 or later." >&2
  echo "setup: ask who looks after this machine for a newer driver; until then the course runs on cpu and sim" >&2
  return 1
}

install_toolkit() {
  local part="$toolkit_folder.part" free
  if cmp -s tools/cuda_toolkit.txt "$toolkit_folder/packages.txt"; then
    echo "setup: the CUDA Toolkit is already in $toolkit_folder"
    return
  fi
  if ! python3 -m pip --version >/dev/null 2>&1; then
    echo "setup: there is no pip here. Install it with  sudo apt-get install python3-pip" >&2
    return 1
  fi
  rm -rf "$part" && mkdir -p "$part/temporary" || return 1
  free="$(df -Pk "$part" | awk 'NR == 2 { print int($4 / 1048576) }')"
  if [ "${free:-0}" -lt $toolkit_gigabytes ]; then
    echo "setup: the toolkit needs $toolkit_gigabytes GB of disk in ${root:?}/.course, and ${free:-0} GB are free" >&2
    rm -rf "$part"
    return 1
  fi
  if fetch_toolkit "$part" && lay_out_toolkit "$part" && compiles "$part"; then
    cp tools/cuda_toolkit.txt "$part/packages.txt"
    # Atomically: a run that is stopped before this begins again.
    rm -rf "$toolkit_folder" && mv "$part" "$toolkit_folder" || return 1
    echo "setup: installed CUDA Toolkit 13.0 with cuDNN and NCCL in $toolkit_folder"
  else
    rm -rf "$part"
    return 1
  fi
}

fetch_toolkit() {  # fetch_toolkit FOLDER
  local log=.course/setup-cuda.log
  echo "setup: fetching the CUDA Toolkit, about 1.2 GB (log: $log)"
  # Its own temporary folder, because /tmp is small on many machines; no cache, which would keep all twice.
  TMPDIR="$root/$1/temporary" python3 -m pip --disable-pip-version-check install --no-cache-dir --no-deps \
    --only-binary :all: --require-hashes --requirement tools/cuda_toolkit.txt --target "$1/python" \
    2>&1 </dev/null | tee "$log" | sed -u -n 's/^ *Downloading .*\/\{0,1\}\(nvidia_[^ ]*\)-py3.*\( (.*)\)$/setup: \1\2/p'
  [ "${PIPESTATUS[0]}" -eq 0 ] && return
  echo "setup: the toolkit could not be fetched. Is there a network? The reason, in $log:" >&2
  grep -i 'error' "$log" | tail -2 >&2
  return 1
}

# The packages have one directory each, and libraries only under the name with the version.
# Compilers and CMake look for one directory, lib64, and libNAME.so.
lay_out_toolkit() {  # lay_out_toolkit FOLDER
  local wheels="$1/python/nvidia" package library
  for package in cu13 cudnn nccl; do
    [ -d "$wheels/$package" ] || {
      echo "setup: the packages hold no folder nvidia/$package; tools/cuda_toolkit.txt names what they should be" >&2
      return 1
    }
    cp -al "$wheels/$package/." "$1/"  # hard links: no second copy of a gigabyte
  done
  for library in "$1"/lib/lib*.so.*; do
    ln -sf "${library##*/}" "${library%%.so.*}.so"
  done
  ln -sfn lib "$1/lib64" && rm -rf "$1/python" "$1/temporary"
}

compiles() {  # compiles FOLDER: tests that nvcc works with this machine's compiler
  local source="$1/try.cu"
  echo '__global__ void fill(float* x) { x[threadIdx.x] = 1; }' >"$source"
  if "$1/bin/nvcc" ${CUDAHOSTCXX:+-ccbin "$CUDAHOSTCXX"} -std=c++20 -arch=sm_90 -c "$source" -o "$1/try.o" >.course/setup-cuda.log 2>&1; then
    rm -f "$source" "$1/try.o"
    return
  fi
  echo "setup: the toolkit's nvcc does not compile here. It needs g++ 12 to 15. Its words, in .course/setup-cuda.log:" >&2
  tail -3 .course/setup-cuda.log >&2
  return 1
}

use_toolkit() {  # Configures build/release with it.
  local cache=build/release/CMakeCache.txt known fresh=()
  add_toolkit_to_path "$root"
  known="$(sed -n 's/^CMAKE_CUDA_COMPILER:[A-Z]*=//p' "$cache" 2>/dev/null)"
  if [ "$(cuda_choice)" = compiled ] && [ "$known" = "$root/$toolkit_folder/bin/nvcc" ]; then return; fi
  # CMake does not change from one nvcc to another in the same cache. Object files stay.
  case "$known" in "" | *NOTFOUND) ;; *) fresh=(--fresh) ;; esac
  configure release "${fresh[@]}" -DTD_CUDA=ON "-DCMAKE_CUDA_COMPILER=$root/$toolkit_folder/bin/nvcc"
}
