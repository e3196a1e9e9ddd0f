"""programs/names.cpp in PyTorch: names of devices, and the current device.

Twin of: ./course run 1 names --device cpu
Compared: ^  "(cpu|cuda|cuda:1)": type ([a-z]+), index (-?[0-9]+)
Compared: ^  "(cuda:|cuda:01|tpu)" rejected
"""

import torch

for text in ["cpu", "cuda", "cuda:1", "cuda:", "cuda:01", "tpu"]:
    try:
        name = torch.device(text)
        print(f"  \"{text}\": type {name.type}, index {-1 if name.index is None else name.index}")
    except RuntimeError as error:
        print(f"  \"{text}\" rejected: {str(error).splitlines()[0]}")
print("  device(\"cuda\", 1) == device(\"cuda:1\"):", torch.device("cuda", 1) == torch.device("cuda:1"))

if torch.cuda.device_count() > 1:
    print()
    print("  at the start          ", torch.cuda.current_device())
    with torch.cuda.device(1):
        print("  in the with block     ", torch.cuda.current_device())
    print("  after it              ", torch.cuda.current_device())
