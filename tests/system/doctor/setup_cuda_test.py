#!/usr/bin/env python3
"""Proves what ./course setup --cuda does, with made-up drivers, pip and CMake: setup_cuda_test.py SOURCE.

Called by CTest. The real packages are 1.2 GB, so a stand-in for pip leaves their folders and small files.
Invariant: after every failure .course/cuda is as before, without a partial installation.
"""

import pathlib
import sys
import tempfile

from machine import Machine, nvidia_smi

SOURCE = pathlib.Path(sys.argv[1]).resolve()
GPU = "NVIDIA H200, 9.0, 143771 MiB, Default"
# What NVIDIA's packages hold, at least: one folder per product, libraries under the name with the version.
PIP = """echo "python3 $*" >>"$HOME/calls"
case "$*" in
  "-m pip --version") echo "pip 23.0"; exit ;;
  *"pip --disable-pip-version-check install"*) ;;
  *) exit ;;
esac
[ -z "$PIP_FAILS" ] || { echo "ERROR: Could not find a version that satisfies the requirement"; exit 1; }
while [ "$1" != --target ]; do shift; done
cd "$(dirname "$2")" && mkdir -p python/nvidia && cd python/nvidia
mkdir -p cu13/bin cu13/lib cudnn/lib cudnn/include nccl/lib
cat >cu13/bin/nvcc <<'END'
#!/bin/sh
[ -z "$NVCC_FAILS" ] || { echo "error: unsupported GNU version"; exit 1; }
echo "release 13.0, V13.0.88"
echo compute_90
END
chmod +x cu13/bin/nvcc
touch cu13/lib/libcublas.so.13 cudnn/lib/libcudnn.so.9 cudnn/include/cudnn.h nccl/lib/libnccl.so.2
echo "Downloading https://packages/nvidia_cublas-13.1.0.3-py3-none-manylinux_2_27_x86_64.whl (423.1 MB)"
"""
CMAKE = """echo "cmake $*" >>"$HOME/calls"
case "$1" in --preset) mkdir -p build/release && touch build/release/build.ninja ;; esac
"""
faults = []


def expect(what, condition, done):
    if not condition:
        faults.append(what)
        print(f"fail: {what}", done.returncode, done.stdout, done.stderr, sep="\n  ")


class Prepared(Machine):
    """A machine with the packages of the course, a GPU and its driver, and no toolkit."""

    def __init__(self, folder):
        super().__init__(folder, SOURCE)
        self.program("dpkg-query", "printf installed")
        self.program("python3", PIP)
        self.program("cmake", CMAKE)
        self.program("nvidia-smi", nvidia_smi(GPU))

    def set_up(self, *arguments, **environment):
        self.environment.update(environment)
        (self.folder / "calls").write_text("")
        done = self.run("setup", *arguments)
        self.calls = (self.folder / "calls").read_text()
        return done

    @property
    def toolkit_folder(self):
        return self.course / ".course/cuda"

    def nothing_is_left(self):
        return not self.toolkit_folder.exists() and not (self.course / ".course/cuda.part").exists()


def machine():
    return Prepared(tempfile.mkdtemp(dir=scratch))


def test_install():
    prepared = machine()
    done = prepared.set_up("--cuda")
    cuda = prepared.toolkit_folder
    expect("it installs", done.returncode == 0 and (cuda / "bin/nvcc").exists(), done)
    expect(
        "packages are pinned by hashes",
        "--require-hashes --requirement tools/cuda_toolkit.txt" in prepared.calls,
        done,
    )
    expect("what is fetched is told", "setup: nvidia_cublas-13.1.0.3 (423.1 MB)" in done.stdout, done)
    for name in ("lib64/libcublas.so", "lib/libcudnn.so", "lib/libnccl.so", "include/cudnn.h"):
        expect(f"{name} is in the one folder", (cuda / name).exists(), done)
    expect(
        "nothing half is left",
        not (prepared.course / ".course/cuda.part").exists() and not (cuda / "python").exists(),
        done,
    )
    configured = f"cmake --preset release -DTD_CUDA=ON -DCMAKE_CUDA_COMPILER={cuda}/bin/nvcc"
    expect("the build uses it", configured in prepared.calls, done)
    expect("what comes next", "Ready. Next: ./course run 4 --device cuda" in done.stdout, done)

    # What CMake would have written.
    cache = prepared.course / "build/release/CMakeCache.txt"
    cache.write_text(f"TD_CUDA_CHOICE:INTERNAL=compiled\nCMAKE_CUDA_COMPILER:STRING={cuda}/bin/nvcc\n")
    done = prepared.set_up("--cuda")
    expect(
        "the second time nothing is fetched",
        "pip" not in prepared.calls and "already in .course/cuda" in done.stdout,
        done,
    )
    expect("nor configured", "--preset release -D" not in prepared.calls and done.returncode == 0, done)
    cache.write_text(
        "TD_CUDA_CHOICE:INTERNAL=no nvcc\nCMAKE_CUDA_COMPILER:FILEPATH=CMAKE_CUDA_COMPILER-NOTFOUND\n"
    )
    done = prepared.set_up("--cuda")
    expect("a build that found no nvcc is configured again", configured in prepared.calls, done)
    cache.write_text("TD_CUDA_CHOICE:INTERNAL=compiled\nCMAKE_CUDA_COMPILER:FILEPATH=/opt/cuda-12/bin/nvcc\n")
    done = prepared.set_up("--cuda")
    expect(
        "one with another nvcc begins afresh", "--preset release --fresh -DTD_CUDA=ON" in prepared.calls, done
    )
    (prepared.course / "tools/cuda_toolkit.txt").write_text("nvidia-cuda-nvcc==13.9\n")
    done = prepared.set_up("--cuda")
    expect("other versions are fetched", "pip --disable" in prepared.calls and done.returncode == 0, done)
    done = prepared.run("doctor")
    expect("doctor sees this nvcc", f"({cuda}/bin/nvcc)" in done.stdout.replace("\n           ", ""), done)


def test_refusals():
    for what, prepare, words in (
        ("no driver", lambda m: m.program("nvidia-smi", None), "no NVIDIA driver answers here"),
        (
            "a driver of CUDA 12",
            lambda m: m.program("nvidia-smi", nvidia_smi(GPU, cuda="12.4")),
            "serves CUDA 12.4, and the course needs CUDA 13.0: driver 580.65",
        ),
        (
            "a driver that hides its CUDA",
            lambda m: m.program("nvidia-smi", nvidia_smi(GPU, cuda="N/A", driver="570.86")),
            "serves CUDA 12.0, and",
        ),
        ("another processor", lambda m: m.program("uname", "echo riscv64"), "no CUDA Toolkit for riscv64"),
        ("no pip", lambda m: m.program("python3", "exit 1"), "sudo apt-get install python3-pip"),
        (
            "a full disk",
            lambda m: m.program("df", "echo; echo /dev/a 9000000 8000000 1000000 90% /"),
            "needs 4 GB of disk",
        ),
        ("no network", lambda m: m.environment.update(PIP_FAILS="1"), "Is there a network?"),
        ("pip's reason", lambda m: m.environment.update(PIP_FAILS="1"), "ERROR: Could not find a version"),
        (
            "a compiler that nvcc does not take",
            lambda m: m.environment.update(NVCC_FAILS="1"),
            "error: unsupported GNU version",
        ),
        (
            "other packages",
            lambda m: m.program("python3", PIP.replace("nccl", "other")),
            "no folder nvidia/nccl",
        ),
    ):
        prepared = machine()
        prepare(prepared)
        done = prepared.set_up("--cuda")
        expect(f"{what}: in words", done.returncode == 1 and words in done.stderr, done)
        expect(
            f"{what}: nothing is left, nothing configured",
            prepared.nothing_is_left() and "cmake --preset" not in prepared.calls,
            done,
        )


def test_bare_machine():
    """pip and g++ come first, as packages of the system: the toolkit needs both."""
    prepared = machine()
    prepared.program("python3", "exit 1")
    prepared.program("with_pip", PIP)
    prepared.program("dpkg-query", '[ -f "$HOME/installed" ] && printf installed')
    prepared.program("apt-get", 'touch "$HOME/installed"; cp "$(command -v with_pip)" "$(command -v python3)"')
    done = prepared.set_up("--cuda")
    expect("packages first", done.returncode == 0 and (prepared.toolkit_folder / "bin/nvcc").exists(), done)


def test_force():
    for driver in (None, nvidia_smi(GPU, cuda="12.4")):
        prepared = machine()
        prepared.program("nvidia-smi", driver)
        done = prepared.set_up("--cuda", "--force")
        expect(
            "--force installs", done.returncode == 0 and (prepared.toolkit_folder / "bin/nvcc").exists(), done
        )
        expect(
            "and says what it cannot do",
            "run" in done.stdout.splitlines()[0] and "not" in done.stdout.splitlines()[0],
            done,
        )


def test_usage():
    prepared = machine()
    for arguments, code, words in (
        (["--cuda", "--forse"], 2, "setup: unknown option --forse: type  ./course setup --help"),
        (["--force"], 2, "--force goes with --cuda"),
        (["--help"], 0, "Example: ./course setup --cuda && ./course run 4 --device cuda"),
    ):
        done = prepared.set_up(*arguments)
        expect(f"setup {arguments}", done.returncode == code and words in done.stdout + done.stderr, done)
        expect(f"setup {arguments} does nothing", not prepared.calls, done)
    done = prepared.set_up()
    expect(
        "without options as before",
        done.returncode == 0 and "Ready. Next: ./course list" in done.stdout,
        done,
    )
    expect("and without pip", "pip" not in prepared.calls, done)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as scratch:
        for test in (test_install, test_refusals, test_bare_machine, test_force, test_usage):
            test()
    print(f"{len(faults)} faults")
    sys.exit(1 if faults else 0)
