#!/usr/bin/env python3
"""Checks that an ELF library holds machine code for a GPU target: machine_code.py LIBRARY 90 [COUNT].

Called by CTest. nvcc puts one container per source file into the section .nv_fatbin; a container is a
row of images, each for one target. Invariant: PTX, which would be compiled on the user's machine, and
images for another target do not count.
"""

import struct
import sys

CONTAINER_MAGIC = 0xBA55ED50
ELF_IMAGE = 2  # 1 is PTX


def section(data, wanted):
    """The bytes of a section of a 64-bit little-endian ELF file; empty when there is none."""
    if data[:6] != b"\x7fELF\x02\x01":
        raise SystemExit("not a 64-bit little-endian ELF file")
    table, = struct.unpack_from("<Q", data, 0x28)
    size, count, names_index = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", data, table + i * size) for i in range(count)]
    names = headers[names_index][4]
    for name, _, _, _, offset, length in headers:
        start = names + name
        if data[start : data.index(b"\0", start)] == wanted:
            return data[offset : offset + length]
    return b""


def images(fatbin):
    """Yields (kind, target, bytes) of every image in every container."""
    at = 0
    while at + 16 <= len(fatbin):
        magic, _, header, length = struct.unpack_from("<IHHQ", fatbin, at)
        if magic != CONTAINER_MAGIC:
            at += 8  # padding between containers
            continue
        image, end = at + header, at + header + length
        while image < end:
            kind, _, image_header, image_length = struct.unpack_from("<HHIQ", fatbin, image)
            target, = struct.unpack_from("<I", fatbin, image + 28)
            yield kind, target, image_length
            image += image_header + image_length
        at = end


def main():
    path, wanted, least = sys.argv[1], int(sys.argv[2]), int((sys.argv[3:] or ["1"])[0])
    with open(path, "rb") as file:
        found = list(images(section(file.read(), b".nv_fatbin")))
    fitting = [size for kind, target, size in found if kind == ELF_IMAGE and target == wanted]
    targets = sorted({f"sm_{target}" for kind, target, _ in found if kind == ELF_IMAGE})
    print(f"{path}: {len(fitting)} images, {sum(fitting)} bytes of machine code for sm_{wanted}; "
          f"targets in it: {', '.join(targets) or 'none'}")
    if len(fitting) < least or not all(fitting):
        raise SystemExit(f"expected at least {least}: were the kernel files compiled by nvcc?")


if __name__ == "__main__":
    main()
