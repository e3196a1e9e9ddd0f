"""Machines without a GPU, and what ./course doctor must find on each. Imported by doctor_test.py.

Invariant: a case changes a healthy machine (machine.py), so that a finding is due to the change alone.
"""

CASES = []
RELEASE = 'PRETTY_NAME="{0} {1}"\nID={0}\nVERSION_ID="{1}"\n'
GXX = "echo 'g++ (GCC) {}.0'"


def case(**expected):
    """Registers a case, which changes a machine and may return more arguments of Machine.run.

    finding = (level, words that it says, words of what to do ...); runs = False where the exit code is 1.
    """

    def register(change):
        CASES.append((change.__name__, change, expected))
        return change

    return register


@case(
    system=("ok", "Debian GNU/Linux 12"),
    compiler=("ok", "g++ 12.2"),
    cmake=("ok", "3.25.1"),
    ninja=("ok", "1.11.1"),
    git=("ok", "2.39"),
    python=("ok", "3.11.2, with pip"),
    catch2=("ok", "Catch2 2"),
    libraries=("ok", "CLI11"),
    onednn=("ok",),
    openblas=("ok", "OpenMP variant"),
    gloo=("ok",),
    hiredis=("ok",),
    pmix=("ok",),
    cores=("ok", "8 cores"),
    memory=("ok", "15.6 GB"),
    disk=("ok", "381.4 GB"),
    gpu_absent=("note", "no NVIDIA GPU"),
    toolkit_not_needed=("ok", "none is needed"),
    xla_to_fetch=("note", "64 MB"),
)
def laptop(machine):
    pass


# Systems


@case(
    runs=False,
    system_untested=("note", "ubuntu 22.04"),
    cmake_old=("error", "3.22.1", 'pip install --user "cmake>=3.25"'),
    compiler_old=(
        "error",
        "c++ is g++ 11.4",
        "apt-get install g++-12",
        "export CC=gcc-12 CXX=g++-12",
        "rm -rf build/release",
    ),
)
def ubuntu_22(machine):
    machine.file("/etc/os-release", RELEASE.format("ubuntu", "22.04"))
    machine.program("c++", GXX.format("11.4"))
    machine.program("cmake", "echo 'cmake version 3.22.1'")
    (machine.course / "build/release").mkdir(parents=True)
    (machine.course / "build/release/CMakeCache.txt").touch()


@case(runs=False, compiler_old=("error", "g++ 11.4", "export CC=gcc-13 CXX=g++-13"))
def newer_compiler_is_installed(machine):
    machine.file("/etc/os-release", RELEASE.format("ubuntu", "22.04"))
    machine.program("c++", GXX.format("11.4"))
    machine.program("g++-13", GXX.format("13.1"))
    machine.program("gcc-13", "")


@case(runs=False, compiler_old=("error", "of an unknown version", "apt-get install g++"))
def compiler_that_says_nothing(machine):
    machine.program("c++", "")


@case(compiler=("ok", "clang++ 14.0"))
def clang(machine):
    machine.program("c++", "echo 'Debian clang version 14.0.6'")


@case(runs=False, compiler_old=("error", "clang++ 13.0"))
def old_clang(machine):
    machine.program("c++", "echo 'Ubuntu clang version 13.0.1-2ubuntu2'")


@case(compiler=("ok", "g++-12 is g++ 12.3"))
def newer_compiler_is_used(machine):
    machine.program("c++", GXX.format("11.4"))
    machine.program("g++-12", GXX.format("12.3"))
    machine.environment["CXX"] = "g++-12"


@case(system=("ok", "ubuntu 24.04"), compiler=("ok", "g++ 13.2"), catch2=("ok", "Catch2 3"))
def ubuntu_24(machine):
    machine.file("/etc/os-release", RELEASE.format("ubuntu", "24.04"))
    machine.program("c++", GXX.format("13.2"))
    machine.file("/usr/include/catch2/catch.hpp", None)
    machine.file("/usr/include/catch2/catch_test_macros.hpp")


@case(system=("ok", "debian 13"), compiler=("ok", "g++ 14.2"))
def debian_13(machine):
    machine.file("/etc/os-release", RELEASE.format("debian", "13"))
    machine.program("c++", GXX.format("14.2"))


@case(runs=False, libraries_missing=("error", "catch2"))
def without_catch2(machine):
    machine.file("/usr/include/catch2/catch.hpp", None)


@case(
    runs=False,
    system_too_old=("warning", "debian 11", "docker run", "debian:12"),
    compiler_old=("error", "g++ 10.2", "Use a container", "debian:12"),
)
def debian_11(machine):
    machine.file("/etc/os-release", RELEASE.format("debian", "11"))
    machine.program("c++", GXX.format("10.2"))


@case(runs=False, system_not_linux=("error", "Darwin", "docker run"), architecture_untested=("note", "arm64"))
def mac(machine):
    machine.program("uname", 'case "$*" in -s) echo Darwin ;; -r) echo 24 ;; -m) echo arm64 ;; esac')


@case(
    architecture_untested=("note", "aarch64"),
    xla_no_plugin=("warning", "Chapter 10 is skipped", "PJRT_PLUGIN=/where/it/is.so ./course run 10"),
)
def arm(machine):
    machine.program("uname", 'case "$*" in -s) echo Linux ;; -r) echo 6 ;; -m) echo aarch64 ;; esac')


@case(wsl_1=("warning", "WSL 1", "wsl --set-version Debian 2"))
def wsl_1(machine):
    machine.file("/proc/version", "Linux version 4.4.0-19041-Microsoft\n")


@case(
    wsl_2=("note", "driver belongs into Windows"),
    wsl_without_gpu=("note", "install its driver in Windows", "wsl --shutdown"),
    folder_slow=("warning", "(9p)", "git clone"),
)
def wsl_2(machine):
    machine.file("/proc/version", "Linux version 5.15.153.1-microsoft-standard-WSL2\n")
    machine.program("df", 'echo "C: 9p 500000000 1 400000000 1% /mnt/c"')


# Tools and libraries


@case(
    runs=False,
    compiler_missing=("error", "no C++ compiler (c++)", "sudo apt-get install g++"),
    cmake_missing=("error", "no CMake", "apt-get install cmake"),
    ninja_missing=("error", "no Ninja", "ninja-build"),
    git_missing=("warning", "no git", "install git"),
    python_missing=("warning", "no Python", "install python3"),
    libraries_missing=(
        "error",
        "libcli11-dev libtomlplusplus-dev nlohmann-json3-dev",
        "libdw-dev libncurses-dev catch2",
    ),
    onednn_missing=("warning", "own loops", "libdnnl-dev"),
    openblas_missing=("warning", "float64", "libopenblas-openmp-dev"),
    gloo_missing=("warning", "./course launch", "libgloo-dev"),
    hiredis_missing=("note", "Redis", "libhiredis-dev"),
    pmix_missing=("note", "srun", "libpmix-dev"),
    build_slower=("note", "no ccache ld.lld", "ccache lld"),
    gnuplot_missing=("note", "./course time draws no pictures", "gnuplot-nox"),
    xla_needs_pip=("warning", "no pip", "python3-pip"),
    test_all_incomplete=("note", "doxygen"),
)
def bare(machine):
    for name in ("c++", "cmake", "ninja", "git", "python3", "gnuplot", "ccache", "ld.lld"):
        machine.program(name, None)
    for folder in ("include", "lib"):
        machine.file(f"/usr/{folder}", None)
    machine.program("dpkg-query", "exit 1")
    machine.program("id", "echo 1000")


@case(
    runs=False,
    ninja_missing=("error", "no Ninja", "no sudo here. Ask who looks after", "apt-get install ninja-build"),
)
def neither_root_nor_sudo(machine):
    machine.program("ninja", None)
    machine.program("sudo", None)
    machine.program("id", "echo 1000")


@case(runs=False, ninja_missing=("error", "no Ninja", "your system's package manager"))
def no_apt(machine):
    machine.program("ninja", None)
    machine.program("apt-get", None)


@case(
    pip_missing=("note", "no pip", "python3-pip"), openblas_pthread=("note", "compete", "libopenblas-openmp-dev")
)
def without_pip_and_openmp(machine):
    machine.program("python3", 'case "$*" in --version) echo "Python 3.11.2" ;; *) exit 1 ;; esac')
    machine.file("/usr/lib/x86_64-linux-gnu/openblas-openmp", None)


@case(xla_plugin_path=("warning", "/no/plugin.so", "unset PJRT_PLUGIN"))
def wrong_plugin(machine):
    machine.environment["PJRT_PLUGIN"] = "/no/plugin.so"


# Resources


@case(
    openblas_kernels=("warning", "old processors", "unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE"),
    threads_limited=("warning", "may use 2 cores", "unset OMP_NUM_THREADS OPENBLAS_NUM_THREADS"),
    memory_low=("warning", "2048 MB of memory, the container's limit", "taskset -c 0 ./course run 4"),
    cores_quota=("note", "2.5 of 8 cores", "OMP_NUM_THREADS=2"),
    container=("note", "This is a container"),
    disk_low=("warning", "1.9 GB of disk"),
    folder_slow=("warning", "(nfs4)", "git clone"),
    shm_small=("note", "64 MB", "--shm-size=1g"),
    container_shows_no_gpu=("note", "cannot tell whether its host has a GPU", "nvidia-smi"),
)
def small_container(machine):
    machine.environment.update(OPENBLAS_CORETYPE="Prescott", OMP_NUM_THREADS="1")
    machine.file("/.dockerenv")
    machine.file("/proc/self/cgroup", "0::/job\n")
    machine.file("/sys/fs/cgroup/job/memory.max", f"{2 << 30}\n")
    machine.file("/sys/fs/cgroup/job/cpu.max", "250000 100000\n")
    machine.program(
        "df",
        'case "$*" in *shm*) echo head; echo "shm 65536 0 65536 0% /dev/shm" ;; '
        '*) echo "server:/a nfs4 9000000 7000000 2000000 80% /a" ;; esac',
    )


@case(
    cores_quota=("note", "0.5 of 8 cores"),
    memory_low=("warning", "1024 MB"),
    disk_full=("error", "0.4 GB"),
    runs=False,
)
def older_control_groups(machine):
    machine.file("/sys/fs/cgroup/memory/memory.limit_in_bytes", f"{1 << 30}\n")
    machine.file("/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n")
    machine.file("/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n")
    machine.program("df", 'echo "/dev/a ext4 9000000 8500000 500000 80% /a"')


@case(cores_one=("warning", "one core of 8"))
def one_core(machine):
    machine.program("nproc", '[ "$1" = --all ] && echo 8 || echo 1')


@case(cores_affinity=("note", "4 of the machine's 8 cores"))
def some_cores(machine):
    machine.program("nproc", '[ "$1" = --all ] && echo 8 || echo 4')


@case(runs=False, address_space_limited=("error", "16 GB of addresses", "ulimit -v unlimited"))
def limited_addresses(machine):
    return {"shell": 'ulimit -v $((16 << 20)); exec "$@"'}


@case(runs=False, folder_unwritable=("error", "cannot write", "git clone"))
def folder_of_somebody_else(machine):
    (machine.course / "build").touch()


@case(folder_spaces=("note", "for CUDA in such a folder is not tested"))
def space_in_the_name(machine):
    machine.course = machine.course.rename(machine.folder / "my course")


@case(runs=False, build_moved=("error", "/elsewhere", "rm -rf build/release"))
def moved(machine):
    (machine.course / "build/release").mkdir(parents=True)
    (machine.course / "build/release/CMakeCache.txt").write_text("CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere\n")
