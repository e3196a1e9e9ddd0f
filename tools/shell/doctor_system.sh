#!/bin/bash
# What doctor.sh finds out about the system, the tools, the machine's resources and the course's folder.
# Sourced by it; it sets root and has `finding`.
# Invariant: a finding's meaning says what the course does or skips because of it.
# shellcheck disable=SC2034,SC2154  # doctor.sh and its other parts share these variables

has_command() { command -v "$1" >/dev/null; }
first_line() { local line && IFS= read -r line <"$machine$1" && echo "$line"; } 2>/dev/null
release() { sed -n "s/^$1=\"\{0,1\}\([^\"]*\)\"\{0,1\}$/\1/p" "$machine/etc/os-release" 2>/dev/null; }

is_wsl() { [[ "$(first_line /proc/version)" =~ [Mm]icrosoft ]]; }
is_wsl_1() { is_wsl && ! [[ "$(first_line /proc/version)" =~ WSL2|microsoft-standard ]]; }
is_container() {
  [ -e "$machine/.dockerenv" ] || [ -e "$machine/run/.containerenv" ] || [ -n "${container:-}" ] ||
    grep -qsE 'docker|kubepods|containerd|lxc' "$machine/proc/1/cgroup"
}

distribution=""

examine_system() {
  local name
  distribution="$(release ID) $(release VERSION_ID)"
  name="$(release PRETTY_NAME)"
  name="${name:-a system without /etc/os-release}, $(uname -s) $(uname -r), $(uname -m)"
  case "$(uname -s):$distribution" in
    Linux:"debian 12"* | Linux:"debian 13"* | Linux:"ubuntu 24.04"*) finding ok system "$name" ;;
    Linux:"debian 9"* | Linux:"debian 1"[01]* | Linux:"ubuntu 1"* | Linux:"ubuntu 20"*)
      finding warning system_too_old "$name" \
        "The compilers and libraries of this system are too old for the course. A container has newer ones:" \
        "$ $(container_command)" ;;
    Linux:*)
      finding note system_untested "$name" \
        "The course is tested on Debian 12 and 13 and Ubuntu 24.04. It works here where the versions below are new enough." ;;
    *)
      finding error system_not_linux "$name" \
        "The course is for Linux. On Windows use WSL 2 with Debian; elsewhere a container:" \
        "$ $(container_command)" ;;
  esac
  case "$(uname -m)" in
    x86_64) ;;
    *) finding note architecture_untested "The processor is $(uname -m)." \
      "The course is tested on x86-64. XLA's plugin for chapter 10 is for x86-64 only." ;;
  esac
  if is_wsl_1; then
    finding warning wsl_1 "This is WSL 1, which has no Linux kernel." \
      "sim needs a real kernel for memory that the host cannot access, and no GPU can be used." \
      "In Windows' PowerShell:" "$ wsl --set-version ${WSL_DISTRO_NAME:-Debian} 2"
  elif is_wsl; then
    finding note wsl_2 "This is WSL 2." \
      "The NVIDIA driver belongs into Windows only; do not install one here."
  elif is_container; then
    finding note container "This is a container." \
      "Memory, cores and GPUs are those that it was started with. What is installed goes away with it."
  fi
}

container_command() { echo "docker run -it --rm -v \"\$PWD\":/course -w /course debian:12 ./course run 4"; }

# install_steps PACKAGE...: how Debian's packages get onto this machine
install_steps() {
  if ! has_command apt-get; then
    echo "Install it with your system's package manager. Debian calls it: $*"
  elif [ "$(id -u)" -eq 0 ] || has_command sudo; then
    echo "$ $([ "$(id -u)" -eq 0 ] || echo 'sudo ')apt-get install $*"
  else
    echo "You are not root and there is no sudo here. Ask who looks after this machine to run:"
    echo "$ apt-get install $*"
  fi
}

examine_tools() {
  examine_compiler
  examine_cmake
  if has_command ninja; then finding ok ninja "Ninja $(ninja --version 2>/dev/null)"; else
    finding error ninja_missing "There is no Ninja." "Nothing can be built." "$(install_steps ninja-build)"
  fi
  if has_command git; then finding ok git "$(git --version 2>/dev/null)"; else
    finding warning git_missing "There is no git." \
      "The course runs. You need git to update it, and authors need it to check exercises." \
      "$(install_steps git)"
  fi
  if ! has_command python3; then
    finding warning python_missing "There is no Python." \
      "The course runs. ./course test needs Python, and so do all things that pip fetches." "$(install_steps python3)"
  elif ! python3 -m pip --version >/dev/null 2>&1; then
    finding ok python "$(python3 --version 2>&1)"
    finding note pip_missing "Python has no pip." \
      "XLA's plugin for chapter 10 and ./course setup --cuda come through pip." \
      "$(install_steps python3-pip)"
  else
    finding ok python "$(python3 --version 2>&1), with pip"
  fi
}

examine_compiler() {
  local -a command
  local text kind=g++ version="" oldest=12
  # What CMake takes: CXX where it is set.
  read -r -a command <<<"${CXX:-c++}"
  if ! has_command "${command[0]}"; then
    finding error compiler_missing "There is no C++ compiler (${command[0]})." "Nothing can be built." \
      "$(compiler_steps)"
    return
  fi
  text="$("${command[@]}" --version 2>/dev/null)"
  [[ "$text" =~ clang ]] && kind=clang++ oldest=14
  [[ "$text" =~ ([0-9]+\.[0-9]+)\.[0-9]+ ]] && version="${BASH_REMATCH[1]}"
  if at_least "$version" $oldest; then
    finding ok compiler "The compiler ${command[*]} is $kind $version."
  else
    finding error compiler_old "The compiler ${command[*]} is $kind ${version:-of an unknown version}." \
      "The course is written in C++20 and needs g++ 12 or clang 14 or later." "$(compiler_steps)"
  fi
}

compiler_steps() {
  local version
  for version in 15 14 13 12; do
    has_command "g++-$version" && has_command "gcc-$version" && break
    version=""
  done
  if [ -z "$version" ]; then
    case "$distribution" in
      "ubuntu 22"*) version=12 && install_steps g++-12 ;;
      "debian 9"* | "debian 1"[01]* | "ubuntu 1"* | "ubuntu 20"*)
        echo "This system has no package of it. Use a container:"
        echo "$ $(container_command)" ;;
      *) install_steps g++ ;;
    esac
  fi
  [ -n "$version" ] || return
  echo "$ export CC=gcc-$version CXX=g++-$version"
  if [ -f build/release/CMakeCache.txt ]; then
    echo "The build folder remembers the other compiler:"
    echo "$ rm -rf build/release"
  fi
}

examine_cmake() {
  local version how
  version="$(cmake --version 2>/dev/null)"
  [[ "$version" =~ ([0-9]+\.[0-9]+\.[0-9]+) ]] && version="${BASH_REMATCH[1]}"
  case "$distribution" in
    "debian 9"* | "debian 1"[01]* | "ubuntu 1"* | "ubuntu 20"* | "ubuntu 22"*)
      how="This system's package is older. Python's package manager has a newer one:"
      how+=$'\n$ python3 -m pip install --user "cmake>=3.25"\n$ export PATH="$HOME/.local/bin:$PATH"' ;;
    *) how="$(install_steps cmake)" ;;
  esac
  if [ -z "$version" ]; then
    finding error cmake_missing "There is no CMake." "Nothing can be built." "$how"
  elif at_least "$version" 3.25; then
    finding ok cmake "CMake $version"
  else
    finding error cmake_old "CMake $version is too old." "The build needs CMake 3.25 or later." "$how"
  fi
}
