#!/bin/sh
# A compiler through ccache: ccache.sh CCACHE PROJECT TYPE COMPILER ARGUMENT... CMake calls it for every file.
# Invariant: a file that ccache does not know yet takes no longer than without ccache.
ccache=$1
# Paths under the project's directory count as relative, so that another clone finds what this one has compiled. ccache
# does not recognize a path with escaped characters in the list of headers: such a clone keeps its objects for itself.
case $2 in
  *[\ \$\#\\]*) unset CCACHE_BASEDIR ;;
  *) export CCACHE_BASEDIR="$2" ;;
esac
export CCACHE_ABSSTDERR=1 CCACHE_NOHASHDIR=1
# ccache does not know what compiler is behind the name c++.
export CCACHE_COMPILERTYPE="$3"
# It must be told that precompiled headers are meant.
export CCACHE_SLOPPINESS=pch_defines,time_macros
# The compiler's own list of headers, instead of one more run of the preprocessor.
export CCACHE_DEPEND=1
# A checksum beside a precompiled header, instead of reading its 150 MB for every file that uses it.
export CCACHE_PCH_EXTSUM=1
shift 3
# Kernels (cmake/Kernels.cmake) read their own sources by the path in their debug information, which must be this clone's.
for word; do
  if [ "$word" = -g ]; then unset CCACHE_NOHASHDIR; fi
done
"$ccache" "$@" || exit
before=
for word; do
  case "$before $word" in "-o "*.gch | "-o "*.pch) sha256sum <"$word" >"$word.sum" ;; esac
  before=$word
done
