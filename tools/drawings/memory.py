"""The memories that one tensor can be in, with addresses: chapters/08_pinned_memory/memory.svg.

Called by tools/pictures.py with what `./course run 8 memory` prints. Invariant: addresses, sizes and who may
access them are the program's; only the places are chosen here.
"""

import re

from .frame import BLUE, GREEN, PURPLE, WIDTH, Picture

TENSOR = re.compile(r"^ *(pageable|pinned|copy) +(\S+) +(0x[0-9a-f]+) +(\d+) +(yes|no)$", re.M)
DEVICE = re.compile(r"^ *memory of (\S+): (\d+) MiB, (\d+) MiB are free$", re.M)
HALF = (WIDTH - 48) / 2  # the width of the host's memory, and of a device's


def draw_tensor(picture, x, y, found, color):
    name, device, address, size, _ = found
    picture.box(x, y, HALF - 20, 56, color)
    where = f"on {device}" if name == "copy" else name
    for row, words in enumerate([where, address, f"{int(size) / 2**20:g} MiB"]):
        picture.text(x + (HALF - 20) / 2, y + 16 + 16 * row, words, "middle", 12, "#ffffff", bold=row == 0)


def draw(printed):
    """Returns the picture. @throws ValueError if the program prints something else."""
    tensors, devices = TENSOR.findall(printed), DEVICE.findall(printed)
    if [tensor[0] for tensor in tensors[:2]] != ["pageable", "pinned"] or len(devices) != len(tensors) - 2 or not devices:
        raise ValueError(f"expected a pageable and a pinned tensor and one copy per device in:\n{printed}")
    picture = Picture()
    right = WIDTH - HALF - 8
    height = max(2, len(devices)) * 96 + 20
    picture.text(8, 18, "host memory", bold=True)
    picture.text(8, 36, "the host may access it", size=11)
    picture.box(8, 46, HALF, height - 20, stroke="axis")
    for row, (found, color) in enumerate(zip(tensors[:2], [PURPLE, GREEN])):
        draw_tensor(picture, 18, 62 + 96 * row, found, color)
    picture.text(right, 18, "device memory", bold=True)
    picture.text(right, 36, "the host may not access it", size=11)
    for row, (found, (device, total, free)) in enumerate(zip(tensors[2:], devices)):
        y = 46 + 96 * row
        picture.box(right, y, HALF, 88, stroke="axis")
        draw_tensor(picture, right + 10, y + 8, found, BLUE)
        picture.text(right + HALF / 2, y + 80, f"{free} of {total} MiB are free", "middle", 11)
        picture.arrow(18 + HALF - 20, 62 + 96 + 28, right + 8, y + 36)
    picture.text(8, 46 + height, "Copies are the only way between the memories.", size=11)
    return picture.finish(46 + height + 12)
