#!/bin/bash
# Links a kernel library: link_kernels.sh COMPILER ARGUMENTS. Called by the build (cmake/Kernels.cmake).
# It lays out the shared variables of the library's kernels, which are thread_local.
#
# A kernel names its dynamic shared memory as it likes (`extern __shared__ float tile[];`), and nobody
# defines that variable. So this script defines what the objects miss: all such names are one piece of
# memory per OS thread, of the most bytes that a block can have on any GPU (227 KiB).
#
# After each variable it leaves a gap that is larger than the variable. An index that runs past the
# end of one variable is then found there, instead of in the next variable or in memory of the C library.
set -e
mapfile -t objects < <(for word in "$@"; do case "$word" in *.o) echo "$word" ;; esac; done)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
[ ${#objects[@]} -gt 0 ] || { "$@"; exit; }

readelf --syms --wide "${objects[@]}" |
  awk '$4 == "TLS" && $7 == "UND" && $8 !~ /^(threadIdx|blockIdx|blockDim|gridDim)$|4simt|^_ZN2td/ { print $8 }' |
  sort -u >"$folder/extern"
# Each variable has a section of its own (-fdata-sections): its name and its bytes in hexadecimal.
readelf --sections --wide "${objects[@]}" |
  sed -n 's/^ *\[ *[0-9]*\] \(\.tbss\.[^ ]*\) *NOBITS *[0-9a-f]* *[0-9a-f]* *\([0-9a-f]*\) .*/\1 \2/p' |
  sort -u >"$folder/variables"

{
  echo '.section .note.GNU-stack,"",@progbits'
  echo '.section .tdata,"awT",@progbits' # after which the layout stands
  echo '.quad 0'
  echo '.section .tbss.last,"awT",@nobits' # so that there is one
  echo '.zero 8'
  if [ -s "$folder/extern" ]; then
    echo '.section .tbss,"awT",@nobits'
    echo '.balign 1024'
    for name in $(<"$folder/extern") td_dynamic_shared; do
      # Protected: found by name from outside, while this library's kernels use this library's memory.
      printf '.globl %s\n.protected %s\n.type %s, @tls_object\n.size %s, 232448\n%s:\n' \
        "$name" "$name" "$name" "$name" "$name"
    done
    echo '.zero 232448'
  fi
} >"$folder/shared.s"
"$1" -c "$folder/shared.s" -o "$folder/shared.o"
{
  # The list of __launch_bounds__ refers to functions that the linker drops where two objects have them.
  echo 'SECTIONS { /DISCARD/ : { *(__patchable_function_entries) } .tbss : { . = . + 16384;'
  while read -r name bytes; do
    echo "*($name) . = . + $((16#$bytes + 4096));"
  done <"$folder/variables"
  echo '*(.tbss .tbss.*) . = . + 32768; } } INSERT AFTER .tdata;'
} >"$folder/layout.ld"
"$@" "$folder/shared.o" -Wl,-T,"$folder/layout.ld"
