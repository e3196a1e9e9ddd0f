#!/bin/sh
# Lets a compiler check a source without generating code: check_syntax.sh OBJECT COMPILER ARGUMENT...
# Leaves an empty object, so that the build checks the source again only after a change.
object=$1
shift
"$@" -fsyntax-only && : >"$object"
