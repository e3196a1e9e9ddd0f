#!/bin/bash
# What doctor.sh finds out about cores, memory, disk and the folder of the course. Sourced by it.
# Invariant: a container's limits count, not the resources of its host.
# shellcheck disable=SC2034,SC2154  # doctor.sh and its other parts share these variables

tenths() { echo "$(($1 / 10)).$(($1 % 10))"; }  # tenths 15: 1.5
limit_of() {  # limit_of FILE-OF-CGROUP-2 FILE-OF-CGROUP-1: the first line of the one that is there
  local group
  group="$(sed -n 's/^0:://p' "$machine/proc/self/cgroup" 2>/dev/null)"
  first_line "/sys/fs/cgroup${group%/}/$1" || first_line "/sys/fs/cgroup/$1" || first_line "/sys/fs/cgroup/$2"
}

examine_resources() {
  examine_cores
  examine_memory
  examine_disk
  local address_space
  address_space="$(ulimit -v)"
  if [ "$address_space" != unlimited ] && [ "$address_space" -lt $((256 << 20)) ]; then
    finding error address_space_limited "A process may have $((address_space >> 20)) GB of addresses (ulimit -v)." \
      "sim reserves 64 GB of addresses or more per device. They are not memory, but the limit counts them." \
      "$ ulimit -v unlimited"
  fi
}

examine_cores() {
  local cores all quota period
  # nproc obeys OMP_NUM_THREADS, which is another finding.
  cores="$(env -u OMP_NUM_THREADS -u OMP_THREAD_LIMIT nproc)"
  all="$(nproc --all)"
  read -r quota period <<<"$(limit_of cpu.max cpu/cpu.cfs_quota_us)"
  [ -n "${period:-}" ] || period="$(first_line /sys/fs/cgroup/cpu/cpu.cfs_period_us)" || period=100000
  if [[ "${quota:-max}" =~ ^[0-9]+$ ]] && [ $((quota)) -lt $((cores * period)) ]; then
    finding note cores_quota "The container may use $(tenths $((quota * 10 / period))) of $cores cores (its CPU quota)." \
      "More threads than that wait for each other, so measurements on cpu and sim are slower and vary." \
      "For measurements:" "$ export OMP_NUM_THREADS=$((quota >= period ? quota / period : 1))"
    cores=$((quota >= period ? quota / period : 1))
  elif [ "$cores" -eq 1 ]; then
    finding warning cores_one "There is one core of $all for the course." \
      "The build is slow, and several devices or ranks are no faster than one: you will see no speed-up."
  elif [ "$cores" -lt "$all" ]; then
    finding note cores_affinity "There are $cores of the machine's $all cores for the course (affinity)." \
      "The course builds and trains with $cores threads."
  else
    finding ok cores "$cores cores"
  fi
  [ "$cores" -gt 1 ] || return
  if [ "${OMP_NUM_THREADS:-}" = 1 ] || [ "${OPENBLAS_NUM_THREADS:-}" = 1 ]; then
    finding warning threads_limited "OMP_NUM_THREADS or OPENBLAS_NUM_THREADS is 1, and the course may use $cores cores." \
      "Operations on cpu and sim use one thread, and with OMP_NUM_THREADS the build runs one compiler at a time." \
      "$ unset OMP_NUM_THREADS OPENBLAS_NUM_THREADS"
  fi
  if [ -n "${OPENBLAS_CORETYPE:-}${OPENBLAS_L2_SIZE:-}" ]; then
    finding warning openblas_kernels "OPENBLAS_CORETYPE or OPENBLAS_L2_SIZE is set." \
      "OpenBLAS then takes slower kernels, for old processors. ./course unsets both; your own commands see them." \
      "$ unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE"
  fi
}

examine_memory() {
  local total limit of=""
  total="$(awk '$1 == "MemTotal:" { print int($2 / 1024) }' "$machine/proc/meminfo" 2>/dev/null)"
  limit="$(limit_of memory.max memory/memory.limit_in_bytes)"
  if [[ "$limit" =~ ^[0-9]+$ ]] && [ $((limit >> 20)) -lt "${total:-0}" ]; then
    of=", the container's limit"
    total=$((limit >> 20))
  fi
  [ -n "$total" ] || return
  if [ "$total" -lt 3500 ]; then
    finding warning memory_low "$total MB of memory$of" \
      "Compilers that run side by side may be killed (\"Killed signal terminated program cc1plus\")." \
      "On one core the build runs one compiler at a time:" "$ taskset -c 0 ./course run 4"
  else
    finding ok memory "$(tenths $((total * 10 / 1024))) GB of memory$of"
  fi
}

examine_disk() {
  local type free name
  # The type of the file system, and the free kilobytes.
  read -r _ type _ _ free _ <<<"$(df -PT "$root" 2>/dev/null | tail -n 1)"
  [[ "${free:-}" =~ ^[0-9]+$ ]] || return
  name="$(tenths $((free / 104858))) GB of disk are free"
  if [ "$free" -lt 1000000 ] && [ ! -f build/release/build.ninja ]; then
    finding error disk_full "$name in the folder of the course." \
      "The release build without CUDA takes 0.8 GB. Delete something, or clone the course to a larger disk."
  elif [ "$free" -lt 3000000 ]; then
    finding warning disk_low "$name in the folder of the course." \
      "The release build without CUDA takes 0.8 GB, XLA's plugin 0.3 GB, the CUDA Toolkit of ./course setup --cuda 1.7 GB."
  else
    finding ok disk "$name"
  fi
  case "$type" in
    9p | v9fs | drvfs | nfs* | cifs | smb* | fuse.* | vboxsf | prl_fs)
      finding warning folder_slow "The course lies on a file system of another system ($type)." \
        "The build is slower there, and ./course watch may not notice that you save a file. Clone it to a folder of this system:" \
        "$ git clone \"$root\" ~/todevice" ;;
  esac
  if [ "$(df -Pk "$machine/dev/shm" 2>/dev/null | awk 'NR == 2 { print $2 }')" = 65536 ]; then
    finding note shm_small "/dev/shm has 64 MB, a container's default." \
      "NCCL needs more of it between several GPUs. The course's own ranks do not use it." \
      "Start the container with:" "$ docker run --shm-size=1g ..."
  fi
}

examine_folder() {
  local home
  if { [ -e build ] && { [ ! -d build ] || [ ! -w build ]; }; } || { [ ! -e build ] && [ ! -w . ]; }; then
    finding error folder_unwritable "The course cannot write to $root/build." \
      "It builds there. Clone the course to a folder of your own:" "$ git clone \"$root\" ~/todevice"
  fi
  case "$root" in
    *[[:space:]]*)
      finding note folder_spaces "The folder's name has a space: $root" \
        "The course runs there on cpu and sim. Compiling for CUDA in such a folder is not tested." ;;
  esac
  home="$(sed -n 's/^CMAKE_HOME_DIRECTORY:INTERNAL=//p' build/release/CMakeCache.txt 2>/dev/null)"
  if [ -n "$home" ] && [ "$home" != "$root" ]; then
    finding error build_moved "build/release was made for $home." \
      "CMake refuses a build folder that was moved. Your exercises and your progress are not in it." \
      "$ rm -rf build/release"
  fi
}
