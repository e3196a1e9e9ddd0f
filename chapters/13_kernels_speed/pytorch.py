"""Chapter 13 in PyTorch: two operations, and the same fused into one kernel by torch.compile.

Twin of: ./course run 13 --device sim
Compared: two launches move ([0-9]+) bytes, one launch ([0-9]+)
Compared: the same result: (true)

torch.compile() needs PyTorch 2 and a compiler for the device; with an older PyTorch the function runs as it is.
"""

import torch

device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
rows, cols = 100, 200
x, bias = torch.randn(rows, cols, device=device), torch.randn(cols, device=device)


def bias_relu(x, bias):
    return (x + bias).relu()


fused = torch.compile(bias_relu) if device.type == "cuda" and hasattr(torch, "compile") else bias_relu
bytes_of_x = x.numel() * x.element_size()
print(f"two launches move {4 * bytes_of_x} bytes, one launch {2 * bytes_of_x}")
print("the same result:", str(torch.allclose(fused(x, bias), bias_relu(x, bias))).lower())
