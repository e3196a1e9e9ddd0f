#!/bin/bash
# Installs the missing Debian packages. Sourced by ./course, which sets root.
# Invariant: installs at most once per state of tools/packages.debian, asks once on a terminal, and never
# without one.

packages_of() {  # packages_of SECTION...
  local section
  for section in "$@"; do
    awk -v section="$section" '$1 == section { print $2 }' tools/packages.debian
  done
}

missing_packages() {  # missing_packages SECTION...
  local package
  for package in $(packages_of "$@"); do
    # dpkg keeps a line for removed packages too; only "installed" counts.
    case "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" in
      installed) ;;
      *) echo "$package" ;;
    esac
  done
}

agreed_to_install() {  # agreed_to_install PACKAGE...
  if [ -n "${CI:-}" ] || ! [ -t 0 ] || ! [ -t 1 ]; then return 0; fi
  echo "The course needs these Debian packages: $*" >&2
  local answer
  read -r -p "Install them now? [Y/n] " answer
  case "$answer" in n* | N*) return 1 ;; esac
}

install_packages() {  # install_packages PACKAGE...
  local as_root=()
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || return 1
    as_root=(sudo)
    # Without a terminal sudo would wait for a password forever.
    [ -t 0 ] || as_root=(sudo -n)
  fi
  echo "setup: installing $# packages (log: build/setup.log)" >&2
  "${as_root[@]}" apt-get -o DPkg::Lock::Timeout=300 update >>build/setup.log 2>&1 </dev/null || return
  local package wanted=()
  for package; do
    if is_to_be_had "$package"; then wanted+=("$package"); else not_to_be_had+=("$package"); fi
  done
  [ ${#wanted[@]} -eq 0 ] ||
    "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=300 \
      install -y --no-install-recommends "${wanted[@]}" >>build/setup.log 2>&1 </dev/null
}

not_to_be_had=()
# A system may lack a package that is good to have. What the course needs is asked for in any case: apt-get says why not.
is_to_be_had() {  # is_to_be_had PACKAGE
  local packages
  packages=" $(packages_of base docs | tr '\n' ' ')"
  [[ "$packages" == *" $1 "* ]] || apt-cache show --no-all-versions "$1" >/dev/null 2>&1
}

say_how_to_install() {
  echo "setup: these Debian packages are missing: $*" >&2
  echo "setup: install them with  sudo apt-get install $*  (or ask who looks after this machine)" >&2
}

have_build_tools() {
  local tool version
  for tool in "${CXX:-c++}" cmake ninja; do
    if ! command -v "${tool%% *}" >/dev/null; then
      echo "setup: there is no $tool on PATH. The course needs g++ 12, CMake 3.25 and Ninja." >&2
      return 1
    fi
  done
  # An older CMake does not understand CMakePresets.json, and does not say that it is too old.
  version="$(cmake --version 2>/dev/null)"
  [[ "$version" =~ version\ ([0-9]+)\.([0-9]+) ]] || return 0
  [ $((BASH_REMATCH[1] * 1000 + BASH_REMATCH[2])) -ge 3025 ] && return
  echo "setup: CMake ${BASH_REMATCH[1]}.${BASH_REMATCH[2]} is too old: the course needs 3.25. Type  ./course doctor" >&2
  return 1
}

# After `sudo ./course` the build folder is root's, and CMake's errors would not say so.
check_owner() {
  local path
  path="$(find build build/release .course -maxdepth 1 ! -type l ! -writable -print -quit 2>/dev/null)"
  [ -n "$path" ] || return 0
  echo "setup: $path belongs to $(stat -c %U "$path"), so $(id -un) cannot write there. Was ./course started with sudo? Type:" >&2
  echo "  sudo chown -R $(id -un) '${root:?}'" >&2
  return 1
}

# Without root the same lines would come with every command.
is_said_today() { [ "$(cat build/setup.said 2>/dev/null)" = "$(date +%F) $*" ]; }  # is_said_today PACKAGE...

set_up() {  # set_up base|docs|all
  local sections=(base faster) stamp="build/setup.$1"
  check_owner || return 1
  [ "$1" = docs ] && sections+=(docs)
  [ "$1" = all ] && sections+=(docs editor all)
  if [ "$stamp" -nt tools/packages.debian ]; then return 0; fi
  mkdir -p build || {
    echo "setup: cannot write to ${root:?}. Clone the course to a folder of your own." >&2
    return 1
  }
  if ! command -v apt-get >/dev/null; then
    echo "setup: no apt-get here; tools/packages.debian lists what the course needs" >&2
    have_build_tools && touch "$stamp"
    return
  fi
  local missing
  missing="$(missing_packages "${sections[@]}" | tr '\n' ' ')"
  if [ -n "$missing" ]; then
    # Word splitting is intended: package names have no spaces.
    # shellcheck disable=SC2086
    # shellcheck disable=SC2086
    if is_said_today $missing && [ -z "$(missing_packages base)" ] && [ "$1" = base ]; then return 0; fi
    # shellcheck disable=SC2086
    if ! { agreed_to_install $missing && install_packages $missing; }; then
      # shellcheck disable=SC2086
      say_how_to_install $missing
      [ -f build/setup.log ] && grep -E '^(E:|sudo:)' build/setup.log | tail -3 >&2
      [ -z "$(missing_packages base)" ] || return 1
      [ "$1" != docs ] || [ -z "$(missing_packages docs)" ] || return 1
      echo "setup: going on without them; this is said once a day" >&2
      # No stamp, so a command of tomorrow checks again.
      # shellcheck disable=SC2086
      [ "$1" != base ] || echo "$(date +%F)" $missing >build/setup.said
      return 0
    fi
    [ ${#not_to_be_had[@]} -eq 0 ] || echo "setup: this system has no package ${not_to_be_had[*]}; going on without" >&2
  fi
  have_build_tools && touch "$stamp"
}
