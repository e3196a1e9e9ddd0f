#!/usr/bin/env python3
"""Runs a main program that trains on images on 40 of them: small_images.py PROGRAM [OPTION...]. Called by CTest."""
import os
import pathlib
import subprocess
import sys
import tempfile

from training_program_test import write_cifar

with tempfile.TemporaryDirectory() as folder:
    data = write_cifar(pathlib.Path(folder) / "images")
    sys.exit(subprocess.run(sys.argv[1:], env=os.environ | {"TD_DATA": str(data)}, check=False).returncode)
