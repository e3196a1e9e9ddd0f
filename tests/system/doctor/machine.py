"""A machine that does not exist, for tests of ./course: files, programs and a copy of the course.

Imported by the tests beside it. Invariant: what a script sees of the real machine is bash, the
tools of REAL and nothing else, so no compiler, driver or library of it counts.
"""

import json
import os
import pathlib
import shutil
import subprocess

REAL = (
    "awk bash basename cat chmod cmp cp cut date dirname env fold grep head id kill ln ls mkdir mktemp mv "
    "readlink rm sed sh sort stty tail tee touch tr"
).split()
DEBIAN_12 = 'PRETTY_NAME="Debian GNU/Linux 12 (bookworm)"\nID=debian\nVERSION_ID="12"\n'
LIBRARIES = """
include/CLI/CLI.hpp include/toml++/toml.h include/nlohmann/json.hpp include/boost/context/fiber.hpp
include/elfutils/libdwfl.h include/ncurses.h include/catch2/catch.hpp include/dnnl.h include/gloo/allreduce.h
include/hiredis/hiredis.h include/x86_64-linux-gnu/cblas.h lib/x86_64-linux-gnu/pmix2/include/pmix.h
lib/x86_64-linux-gnu/libboost_context.so lib/x86_64-linux-gnu/libdw.so lib/x86_64-linux-gnu/libdnnl.so
lib/x86_64-linux-gnu/libopenblas.so lib/x86_64-linux-gnu/openblas-openmp/libopenblas.so.0
lib/x86_64-linux-gnu/libgloo.so lib/x86_64-linux-gnu/libhiredis.so lib/x86_64-linux-gnu/libpmix.so
""".split()
PROGRAMS = {
    "c++": "echo 'c++ (Debian 12.2.0-14) 12.2.0'",
    "cmake": "echo 'cmake version 3.25.1'",
    "ninja": "echo 1.11.1",
    "git": "echo 'git version 2.39.5'",
    "python3": 'case "$*" in "-m pip"*) echo "pip 23.0" ;; --version) echo "Python 3.11.2" ;; esac',
    "uname": 'case "$*" in -s) echo Linux ;; -r) echo 6.1.0 ;; -m) echo x86_64 ;; esac',
    "nproc": "echo 8",
    "df": 'echo "Filesystem Type 1024-blocks Used Available Capacity Mounted"\n'
    'echo "/dev/sda1 ext4 500000000 100000000 400000000 20% /"',
    "apt-get": "",
    "sudo": 'exec "$@"',
    "gnuplot": "",
    "ccache": "",
    "ld.lld": "",
}
NVCC = (
    'case "$*" in --version) echo "Cuda compilation tools, release {release}, V{release}.88" ;; '
    "--list-gpu-arch) for a in 75 80 86 89 90 100 120; do echo compute_$a; done ;; esac"
)


def nvidia_smi(*gpus, cuda="13.0", driver="580.95.05"):
    """A stand-in for nvidia-smi; a GPU is "name, capability, memory, mode"."""
    rows = "\n".join(f'echo "{gpu}"' for gpu in gpus)
    return (
        f'case "$*" in --query-gpu=*) {rows} ;; -L) echo "GPU 0" ;;\n'
        f'*) echo "| NVIDIA-SMI {driver}   Driver Version: {driver}   CUDA Version: {cuda}  |" ;; esac'
    )


class Machine:
    """Debian 12 with all that the course needs and no GPU, until a test changes it."""

    def __init__(self, folder, source):
        self.folder = pathlib.Path(folder)
        self.root, self.bin = self.folder / "root", self.folder / "bin"
        self.environment = {"TERM": "dumb"}
        self.course = self.folder / "course"
        for folder in (self.bin, self.course / "chapters"):
            folder.mkdir(parents=True)
        shutil.copytree(source / "tools/shell", self.course / "tools/shell")
        for name in ("course", "tools/packages.debian", "tools/cuda_toolkit.txt", "chapters/course.toml"):
            shutil.copy(source / name, self.course / name)
        for name in REAL:
            os.symlink(shutil.which(name, path="/usr/bin:/bin"), self.bin / name)
        for name, text in PROGRAMS.items():
            self.program(name, text)
        for name in LIBRARIES:
            self.file("/usr/" + name)
        self.file("/etc/os-release", DEBIAN_12)
        self.file("/proc/version", "Linux version 6.1.0\n")
        self.file("/proc/meminfo", "MemTotal:       16384000 kB\n")
        (self.root / "dev").mkdir()

    def file(self, path, text=""):
        """Writes a file; with `text` None deletes it, or a folder."""
        place = self.root / path.lstrip("/")
        if text is None:
            shutil.rmtree(place) if place.is_dir() else place.unlink()
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(text)

    def program(self, name, text):
        """A shell script of this name; with `text` None there is none."""
        (self.bin / name).unlink(missing_ok=True)
        if text is not None:
            (self.bin / name).write_text(f"#!/bin/sh\n{text}\n")
            (self.bin / name).chmod(0o755)

    def toolkit(self, release="13.0", *libraries):
        """A CUDA Toolkit in /usr/local/cuda with these libraries, such as "cudnn"."""
        cuda = self.root / "usr/local/cuda"
        (cuda / "bin").mkdir(parents=True)
        (cuda / "bin/nvcc").write_text("#!/bin/sh\n" + NVCC.format(release=release) + "\n")
        (cuda / "bin/nvcc").chmod(0o755)
        headers = {"cublas": "cublas_v2.h"}
        for library in libraries:
            self.file(f"/usr/local/cuda/include/{headers.get(library, library + '.h')}")
            self.file(f"/usr/local/cuda/lib64/lib{library}.so")

    def run(self, *arguments, shell='exec "$@"', **options):
        """./course ARGUMENT... on this machine; `shell` may set limits before."""
        environment = {"PATH": str(self.bin), "HOME": str(self.folder), "DOCTOR_ROOT": str(self.root)}
        environment.update(self.environment)
        return subprocess.run(
            ["/bin/bash", "-c", shell, "bash", "./course", *arguments],
            cwd=self.course,
            env=environment,
            capture_output=True,
            text=True,
            timeout=60,
            stdin=subprocess.DEVNULL,
            **options,
        )

    def findings(self, **options):
        """(the exit code, the object that `doctor --json` prints)"""
        done = self.run("doctor", "--json", **options)
        assert not done.stderr, done.stderr
        return done.returncode, json.loads(done.stdout)
