#!/usr/bin/env python3
"""Provokes every finding of ./course doctor on made-up machines. Called by CTest: doctor_test.py SOURCE.

Each case changes a healthy machine and says which findings must come: level, words of what was found or means, and
words of what to do. Invariant: a finding that no case provokes is a failure, so none can be added without one.
"""

import concurrent.futures
import os
import pathlib
import pty
import re
import subprocess
import sys
import tempfile

from made_up_machine import Machine, nvidia_smi

SOURCE = pathlib.Path(sys.argv[1]).resolve()
GPU = "NVIDIA H200, 9.0, 143771 MiB, Default"
RELEASE = 'PRETTY_NAME="{0} {1}"\nID={0}\nVERSION_ID="{1}"\n'
GXX = "echo 'g++ (GCC) {}.0'"
CASES = []


def case(**expected):
    """Registers a case: finding = (level, words that it says, words of what to do), and runs = False for exit 1."""
    def register(change):
        CASES.append((change.__name__, change, expected))
        return change
    return register


@case(system=("ok", "Debian GNU/Linux 12"), compiler=("ok", "g++ 12.2"), cmake=("ok", "3.25.1"), ninja=("ok", "1.11.1"),
      git=("ok", "2.39"), python=("ok", "3.11.2, with pip"), catch2=("ok", "Catch2 2"), libraries=("ok", "CLI11"),
      onednn=("ok",), openblas=("ok", "OpenMP variant"), gloo=("ok",), hiredis=("ok",), pmix=("ok",), cores=("ok", "8 cores"),
      memory=("ok", "15.6 GB"), disk=("ok", "381.4 GB"), gpu_absent=("note", "no NVIDIA GPU"),
      toolkit_not_needed=("ok", "none is needed"), xla_to_fetch=("note", "64 MB"))
def laptop(machine):
    pass


@case(gpu=("ok", "cuda:0: NVIDIA H200, compute capability 9.0, 143771 MiB"), driver=("ok", "CUDA 13.0"), cublas=("ok",),
      toolkit=("ok", "CUDA Toolkit 13.0"), cudnn=("ok",), nccl=("ok",), xla_plugin=("ok", "PJRT_PLUGIN"))
def gpu(machine):
    machine.program("nvidia-smi", nvidia_smi(GPU, GPU))
    machine.toolkit("13.0", "cublas", "cudnn", "nccl")
    machine.file("/plugin.so")
    machine.environment["PJRT_PLUGIN"] = f"{machine.root}/plugin.so"


# Systems

@case(runs=False, system_untested=("note", "ubuntu 22.04"), cmake_old=("error", "3.22.1", 'pip install --user "cmake>=3.25"'),
      compiler_old=("error", "c++ is g++ 11.4", "apt-get install g++-12", "export CC=gcc-12 CXX=g++-12", "rm -rf build/release"))
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


@case(compiler=("ok", "g++-12 is g++ 12.3"))
def newer_compiler_is_used(machine):
    machine.program("c++", GXX.format("11.4"))
    machine.program("g++-12", GXX.format("12.3"))
    machine.environment["CXX"] = "g++-12"


@case(runs=False, system_untested=("note", "ubuntu 24.04"),
      catch2_version=("error", "Ubuntu 24.04", "--branch v2.13.10", 'export CMAKE_PREFIX_PATH="$HOME/.local"'))
def ubuntu_24(machine):
    machine.file("/etc/os-release", RELEASE.format("ubuntu", "24.04"))
    machine.program("c++", GXX.format("13.2"))
    machine.file("/usr/include/catch2/catch.hpp", None)
    machine.file("/usr/include/catch2/catch_test_macros.hpp")


@case(catch2=("ok", "Catch2 2"))
def ubuntu_24_after_that(machine):
    ubuntu_24(machine)
    machine.file("/local/include/catch2/catch.hpp")
    machine.environment["CMAKE_PREFIX_PATH"] = f"/nowhere:{machine.root}/local"


@case(runs=False, system_too_old=("warning", "debian 11", "docker run", "debian:12"),
      compiler_old=("error", "g++ 10.2", "Use a container", "debian:12"))
def debian_11(machine):
    machine.file("/etc/os-release", RELEASE.format("debian", "11"))
    machine.program("c++", GXX.format("10.2"))


@case(runs=False, system_not_linux=("error", "Darwin", "docker run"), architecture_untested=("note", "arm64"))
def mac(machine):
    machine.program("uname", 'case "$*" in -s) echo Darwin ;; -r) echo 24 ;; -m) echo arm64 ;; esac')


@case(architecture_untested=("note", "aarch64"),
      xla_no_plugin=("warning", "Chapter 10 is skipped", "PJRT_PLUGIN=/where/it/is.so ./course run 10"))
def arm(machine):
    machine.program("uname", 'case "$*" in -s) echo Linux ;; -r) echo 6 ;; -m) echo aarch64 ;; esac')


@case(wsl_1=("warning", "WSL 1", "wsl --set-version Debian 2"))
def wsl_1(machine):
    machine.file("/proc/version", "Linux version 4.4.0-19041-Microsoft\n")


@case(wsl_2=("note", "driver belongs into Windows"), wsl_without_gpu=("note", "install its driver in Windows", "wsl --shutdown"),
      folder_slow=("warning", "(9p)", "git clone"))
def wsl_2(machine):
    machine.file("/proc/version", "Linux version 5.15.153.1-microsoft-standard-WSL2\n")
    machine.program("df", 'echo "C: 9p 500000000 1 400000000 1% /mnt/c"')


@case(wsl_2=("note", "WSL 2"), gpu=("ok", "RTX"), toolkit_missing=("warning", "no CUDA Toolkit", "./course setup --cuda"))
def wsl_2_with_gpu(machine):
    machine.file("/proc/version", "Linux version 5.15.153.1-microsoft-standard-WSL2\n")
    machine.file("/usr/lib/wsl/lib/nvidia-smi", "#!/bin/sh\n" + nvidia_smi("NVIDIA RTX 4070, 8.9, 12282 MiB, Default"))
    (machine.root / "usr/lib/wsl/lib/nvidia-smi").chmod(0o755)


# Tools and libraries

@case(runs=False, compiler_missing=("error", "no C++ compiler (c++)", "sudo apt-get install g++"),
      cmake_missing=("error", "no CMake", "apt-get install cmake"), ninja_missing=("error", "no Ninja", "ninja-build"),
      git_missing=("error", "no git", "install git"), python_missing=("error", "no Python", "install python3"),
      libraries_missing=("error", "libcli11-dev libtomlplusplus-dev nlohmann-json3-dev", "libdw-dev libncurses-dev catch2"),
      onednn_missing=("warning", "own loops", "libdnnl-dev"), openblas_missing=("warning", "float64", "libopenblas0-openmp"),
      gloo_missing=("warning", "./course launch", "libgloo-dev"), hiredis_missing=("note", "Redis", "libhiredis-dev"),
      pmix_missing=("note", "srun", "libpmix-dev"), build_slower=("note", "no ccache ld.lld", "ccache lld"),
      gnuplot_missing=("note", "./course time draws no pictures", "gnuplot-nox"),
      xla_needs_pip=("warning", "no pip", "python3-pip"), test_all_incomplete=("note", "doxygen graphviz"))
def bare(machine):
    for name in ("c++", "cmake", "ninja", "git", "python3", "gnuplot", "ccache", "ld.lld"):
        machine.program(name, None)
    for folder in ("include", "lib"):
        machine.file(f"/usr/{folder}", None)
    machine.program("dpkg-query", "exit 1")
    machine.program("id", "echo 1000")


@case(runs=False, ninja_missing=("error", "no Ninja", "no sudo here. Ask who looks after", "apt-get install ninja-build"))
def neither_root_nor_sudo(machine):
    machine.program("ninja", None)
    machine.program("sudo", None)
    machine.program("id", "echo 1000")


@case(runs=False, ninja_missing=("error", "no Ninja", "your system's package manager"))
def no_apt(machine):
    machine.program("ninja", None)
    machine.program("apt-get", None)


@case(pip_missing=("note", "no pip", "python3-pip"), openblas_pthread=("note", "compete", "libopenblas0-openmp"))
def without_pip_and_openmp(machine):
    machine.program("python3", 'case "$*" in --version) echo "Python 3.11.2" ;; *) exit 1 ;; esac')
    machine.file("/usr/lib/x86_64-linux-gnu/openblas-openmp", None)


@case(xla_plugin_path=("warning", "/no/plugin.so", "unset PJRT_PLUGIN"))
def wrong_plugin(machine):
    machine.environment["PJRT_PLUGIN"] = "/no/plugin.so"


# Resources

@case(openblas_kernels=("warning", "old processors", "unset OPENBLAS_CORETYPE OPENBLAS_L2_SIZE"),
      threads_limited=("warning", "there are 8 cores", "unset OMP_NUM_THREADS OPENBLAS_NUM_THREADS"),
      memory_low=("warning", "2048 MB of memory, the container's limit", "taskset -c 0 ./course run 4"),
      cores_quota=("note", "2.5 of 8 cores", "OMP_NUM_THREADS=2"), container=("note", "This is a container"),
      disk_low=("warning", "1.9 GB of disk"), folder_slow=("warning", "(nfs4)", "git clone"),
      shm_small=("note", "64 MB", "--shm-size=1g"),
      container_shows_no_gpu=("note", "cannot tell whether its host has a GPU", "nvidia-smi"))
def small_container(machine):
    machine.environment.update(OPENBLAS_CORETYPE="Prescott", OMP_NUM_THREADS="1")
    machine.file("/.dockerenv")
    machine.file("/proc/self/cgroup", "0::/job\n")
    machine.file("/sys/fs/cgroup/job/memory.max", f"{2 << 30}\n")
    machine.file("/sys/fs/cgroup/job/cpu.max", "250000 100000\n")
    machine.program("df", 'case "$*" in *shm*) echo head; echo "shm 65536 0 65536 0% /dev/shm" ;; '
                          '*) echo "server:/a nfs4 9000000 7000000 2000000 80% /a" ;; esac')


@case(cores_quota=("note", "0.5 of 8 cores"), memory_low=("warning", "1024 MB"), disk_full=("error", "0.4 GB"), runs=False)
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


@case(folder_spaces=("note", "my course"))
def space_in_the_name(machine):
    machine.course = machine.course.rename(machine.folder / "my course")


@case(runs=False, build_moved=("error", "/elsewhere", "rm -rf build/release"))
def moved(machine):
    (machine.course / "build/release").mkdir(parents=True)
    (machine.course / "build/release/CMakeCache.txt").write_text("CMAKE_HOME_DIRECTORY:INTERNAL=/elsewhere\n")


# GPUs, drivers and toolkits

def card(machine):
    machine.file("/sys/bus/pci/devices/0000:01:00.0/vendor", "0x10de\n")
    machine.file("/sys/bus/pci/devices/0000:01:00.0/class", "0x030000\n")


def driver_in_kernel(machine):
    machine.file("/proc/driver/nvidia/version", "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.95.05  Tue\n")


@case(driver_missing=("warning", "no driver", "580.65"))
def card_without_driver(machine):
    card(machine)


@case(nouveau=("warning", "nouveau serves no CUDA", "ubuntu-drivers install"))
def card_with_nouveau(machine):
    card(machine)
    machine.file("/sys/module/nouveau/version")
    machine.file("/etc/os-release", RELEASE.format("ubuntu", "24.04"))


@case(container_without_gpus=("warning", "driver 580.95.05", "docker run --gpus all"))
def container_of_a_host_with_driver(machine):
    machine.file("/proc/1/cgroup", "1:name=systemd:/docker/0123\n")
    driver_in_kernel(machine)


@case(nvidia_visible_none=("warning", '"void"', "docker run --gpus all"))
def container_told_to_hide(machine):
    machine.file("/run/.containerenv")
    machine.environment["NVIDIA_VISIBLE_DEVICES"] = "void"


@case(nvidia_smi_missing=("warning", "580.95.05 is loaded", "nvidia-smi"))
def driver_without_tool(machine):
    driver_in_kernel(machine)


@case(driver_mismatch=("warning", "differ in version", "sudo reboot"))
def updated_driver(machine):
    machine.program("nvidia-smi", 'echo "Failed to initialize NVML: Driver/library version mismatch"; exit 18')


@case(driver_without_gpu=("warning", "has no GPU", "dmesg"))
def driver_finds_nothing(machine):
    machine.program("nvidia-smi", 'echo "No devices were found"; exit 6')


@case(driver_fails=("warning", "couldn't communicate", "modprobe nvidia"))
def unloaded_driver(machine):
    machine.program("nvidia-smi", 'echo "NVIDIA-SMI has failed because it couldn\'t communicate with the driver"; exit 9')


@case(gpu_permission=("warning", "You may not use /dev/nvidia0", "ls -l /dev/nvidia0", "usermod -aG"))
def forbidden_device(machine):
    machine.program("nvidia-smi", nvidia_smi(GPU))
    machine.file("/dev/nvidia0")
    (machine.root / "dev/nvidia0").chmod(0)
    machine.course.chmod(0o777)
    # Nothing is forbidden to root.
    return {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}


@case(gpu_too_old=("warning", "capability 6.1", ), toolkit_absent=("note", "would not help"))
def old_gpu(machine):
    machine.program("nvidia-smi", nvidia_smi("GeForce GTX 1080, 6.1, 8192 MiB, Default"))


@case(gpu_without_bfloat16=("note", "chapter 07 uses float16"), gpu_exclusive=("warning", "Exclusive_Process", "nvidia-smi -i 0 -c DEFAULT"),
      toolkit_missing=("warning", "no CUDA Toolkit", "./course setup --cuda"))
def turing_alone(machine):
    machine.program("nvidia-smi", nvidia_smi("Tesla T4, 7.5, 15360 MiB, Exclusive_Process"))


@case(gpu_prohibited=("warning", "Prohibited", "nvidia-smi -i 0 -c DEFAULT"))
def prohibited(machine):
    machine.program("nvidia-smi", nvidia_smi("Tesla T4, 7.5, 15360 MiB, Prohibited"))


@case(driver_too_old=("warning", "CUDA 12.4 at most", "newer driver"), toolkit=("ok",))
def driver_of_cuda_12(machine):
    machine.program("nvidia-smi", nvidia_smi(GPU, cuda="12.4", driver="550.54.14"))
    machine.toolkit()


@case(driver_too_old=("warning", "CUDA 11.4 at most", "newer driver"), toolkit_absent=("note", "no CUDA Toolkit"))
def driver_that_knows_no_capability(machine):
    machine.program("nvidia-smi", 'case "$*" in *compute_cap*) echo \'Field "compute_cap" is not a valid field to query.\'; exit 2 ;; '
                    "*query*) echo 'Tesla T4, 15109 MiB' ;; *) echo 'Driver Version: 470.82 CUDA Version: 11.4' ;; esac")


@case(toolkit_too_old=("warning", "12.0", "./course setup --cuda"), driver=("ok", "CUDA 13.1"))
def toolkit_of_cuda_12(machine):
    machine.program("nvidia-smi", nvidia_smi(GPU).replace("CUDA Version: 13.0", "CUDA UMD Version: 13.1"))
    machine.toolkit("12.0")


@case(toolkit_newer_than_driver=("warning", "14.0, and the driver serves CUDA 13.0", "./course setup --cuda"))
def toolkit_of_tomorrow(machine):
    machine.program("nvidia-smi", nvidia_smi(GPU))
    machine.toolkit("14.0", "cublas")


@case(toolkit_lacks_gpu=("warning", "capability 13.5", ), toolkit_compiler=("warning", "g++ 16.1", "CUDAHOSTCXX=g++-14"))
def gpu_of_tomorrow(machine):
    machine.program("nvidia-smi", nvidia_smi("NVIDIA X1, 13.5, 99999 MiB, Default"))
    machine.toolkit()
    machine.program("c++", GXX.format("16.1"))


@case(toolkit_without_gpu=("note", "./course test --all compiles it"))
def toolkit_alone(machine):
    machine.toolkit()


@case(cublas_missing=("warning", "no cuBLAS", "setup --cuda"), cudnn_missing=("warning", "Convolutions", "setup --cuda"),
      nccl_missing=("note", "chapter 06", "setup --cuda"), cuda_visible_some=("note", "1 of 2 GPUs", "unset CUDA_VISIBLE_DEVICES"))
def bare_toolkit(machine):
    machine.program("nvidia-smi", nvidia_smi(GPU, GPU))
    machine.toolkit()
    machine.environment["CUDA_VISIBLE_DEVICES"] = "1,-1,0"


@case(cudnn=("ok", "cuDNN"), nccl_missing=("warning", "between GPUs"))
def cudnn_of_python(machine):
    machine.program("nvidia-smi", nvidia_smi(GPU, GPU))
    machine.toolkit()
    machine.file("/wheels/nvidia/cudnn/include/cudnn.h")
    machine.file("/wheels/nvidia/cudnn/lib/libcudnn.so.9")
    machine.program("python3", f'case "$*" in -c*) echo {machine.root}/wheels ;; *) echo "Python 3.11.2" ;; esac')


@case(cuda_visible_none=("warning", "hides every GPU", "unset CUDA_VISIBLE_DEVICES"))
def hidden_gpus(machine):
    machine.program("nvidia-smi", nvidia_smi(GPU))
    machine.environment["CUDA_VISIBLE_DEVICES"] = ""


@case(cuda_stubs=("warning", "error 34", "unset LD_LIBRARY_PATH"))
def stubs(machine):
    machine.environment["LD_LIBRARY_PATH"] = "/usr/local/cuda/lib64/stubs"


@case(build_without_cuda=("note", "TD_CUDA=OFF", "cmake --preset release -DTD_CUDA=AUTO"))
def switched_off(machine):
    gpu(machine)
    (machine.course / "build/release").mkdir(parents=True)
    (machine.course / "build/release/CMakeCache.txt").write_text("TD_CUDA_CHOICE:INTERNAL=off\n")


def examine(one):
    """Runs one case; returns (its faults, the ids that came)."""
    name, change, expected = one
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        machine = Machine(folder, SOURCE)
        code, report = machine.findings(**(change(machine) or {}))
    found = {finding["id"]: finding for finding in reversed(report["findings"])}
    runs = expected.get("runs", True)
    if code != (0 if runs else 1) or report["course_runs"] != runs:
        faults.append(f"{name}: exit code {code}, course_runs {report['course_runs']}, expected {runs}")
    for key, (level, *words) in ((key, value) for key, value in expected.items() if key != "runs"):
        finding = found.get(key)
        if not finding:
            faults.append(f"{name}: no {key}; there are {', '.join(found)}")
            continue
        said = " ".join([finding["found"], finding["meaning"]])
        if finding["level"] != level or (words and words[0] not in said):
            faults.append(f"{name}: {key}: expected {level} with {words[:1]}, got {finding}")
        for step in words[1:]:
            if step not in "\n".join(finding["do"]):
                faults.append(f"{name}: {key}: what to do lacks {step!r}: {finding['do']}")
        if level in ("warning", "error") and not finding["meaning"]:
            faults.append(f"{name}: {key} does not say what it means")
    unexpected = [key for key, finding in found.items() if finding["level"] == "error" and key not in expected]
    if unexpected and name != "mac":
        faults.append(f"{name}: errors that nothing caused: {unexpected}")
    return faults, set(found)


def ids_in_scripts():
    text = "".join(path.read_text() for path in (SOURCE / "tools/shell").glob("doctor*.sh"))
    return set(re.findall(r'finding (?:ok|note|warning|error|"\$\(.*?\)") ([a-z0-9_]+)', text))


def check_summary(machine, faults):
    """What the summary says of a machine with one GPU and no NCCL, and of one with no gloo."""
    machine.program("nvidia-smi", nvidia_smi(GPU))
    machine.toolkit("13.0", "cublas")
    machine.file("/usr/include/gloo", None)
    chapters = {chapter["number"]: chapter for chapter in machine.findings()[1]["chapters"]}
    expected = {1: (["cpu", "sim", "cuda"], []), 4: (["cpu", "sim", "cuda"], ["convolutions on cuda (no cuDNN)"]),
                6: ([], ["ranks on cpu and sim (no gloo)", "ranks on cuda (no NCCL)", "several GPUs (there is one)"]),
                10: (["XLA's plugin"], []), 11: (["sim", "cuda"], [])}
    for number, (runs_on, skipped) in expected.items():
        chapter = chapters.get(number, {})
        if (chapter.get("runs_on"), chapter.get("skipped")) != (runs_on, skipped):
            faults.append(f"summary of chapter {number}: {chapter}")
    numbers = [int(n) for n in re.findall(r"^number = (\d+)", (SOURCE / "chapters/course.toml").read_text(), re.M)]
    if sorted(chapters) != numbers:
        faults.append(f"the summary has the chapters {sorted(chapters)}, course.toml has {numbers}")


def check_text(machine, faults):
    """Lines fit into the terminal, commands can be copied, and the last lines say what to do next."""
    said = machine.run("doctor").stdout
    if not said.endswith("The course runs here, on cpu, sim. Warnings: 0. Next:\n  ./course run 1\n"):
        faults.append("the end of a good report: " + said[-200:])
    bare(machine)
    for columns in ("40", "80", "200"):
        machine.environment.update(COLUMNS=columns, LC_ALL="C")
        done = machine.run("doctor")
        wide = [line for line in done.stdout.splitlines() if len(line) > int(columns) and len(line.split()) > 2]
        if wide or not done.stdout.isascii() or "\033" in done.stdout:
            faults.append(f"at {columns} columns: {wide} or not plain text")
        # A command that was broken is whole again in a shell.
        joined = re.sub(r" \\\n +", " ", done.stdout)
        if "sudo apt-get install libopenblas-dev libopenblas0-openmp\n" not in joined:
            faults.append(f"at {columns} columns no command to copy: {done.stdout}")
        if done.returncode != 1 or "./course doctor\n" not in done.stdout[-40:]:
            faults.append(f"at {columns} columns: exit code {done.returncode}: {done.stdout[-200:]}")


def check_terminal(machine, faults):
    """In a terminal levels have colors, unless NO_COLOR says otherwise, and its size counts."""
    for no_color in ("", "1"):
        ours, theirs = pty.openpty()
        subprocess.run(["stty", "cols", "50"], stdin=theirs, check=True)
        environment = {"PATH": str(machine.bin), "DOCTOR_ROOT": str(machine.root), "TERM": "xterm", "NO_COLOR": no_color}
        with subprocess.Popen(["./course", "doctor"], cwd=machine.course, env=environment, stdin=theirs, stdout=theirs) as run:
            os.close(theirs)
            said = b""
            try:
                while chunk := os.read(ours, 65536):
                    said += chunk
            except OSError:  # how Linux says that the other end is closed
                pass
            run.wait()
        os.close(ours)
        said = said.decode()
        plain = re.sub(r"\033\[\d+m", "", said)
        if ("\033[32mok" in said) != (no_color == "") or max(map(len, plain.splitlines())) > 50:
            faults.append(f"in a terminal with NO_COLOR={no_color!r}: {said[:300]!r}")


def check_usage(machine, faults):
    for arguments, code, words in ((["--jsn"], 2, "doctor: unknown option --jsn: type  ./course doctor --help"),
                                   (["--help"], 0, "Example:\n  ./course doctor"), (["-h"], 0, "--json")):
        done = machine.run("doctor", *arguments)
        if done.returncode != code or words not in done.stdout + done.stderr:
            faults.append(f"doctor {arguments}: {done}")


def main():
    faults, came = [], set()
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for new_faults, ids in pool.map(examine, CASES):
            faults += new_faults
            came |= ids
    declared = ids_in_scripts()
    faults += [f"no case provokes the finding {key}" for key in sorted(declared - came)]
    # The list itself is checked: an id that was printed but not found in the scripts was missed by the search.
    faults += [f"the search for ids misses {key}" for key in sorted(came - declared)]
    for check in (check_summary, check_text, check_terminal, check_usage):
        with tempfile.TemporaryDirectory() as folder:
            check(Machine(folder, SOURCE), faults)
    print(*faults, f"{len(declared)} findings, {len(CASES)} machines, {len(faults)} faults", sep="\n")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
