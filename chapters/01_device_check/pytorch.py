"""Chapter 01 in PyTorch: which GPUs this machine has, and a first tensor on a device.

Twin of: ./course run 1 --device cpu
Compared: ^(x|x . x) +(tensor.*)
"""

import torch

print("torch", torch.__version__, "built with CUDA", torch.version.cuda)
print("cuda:", torch.cuda.device_count())
for i in range(torch.cuda.device_count()):
    print(f"  cuda:{i}  {torch.cuda.get_device_name(i)}")

# The line that most scripts begin with. Print the result, or you may mistake a CPU run for a GPU run.
device = torch.device("cuda:0" if torch.cuda.is_available() else "cpu")
print("\nIs a GPU available?", "yes" if torch.cuda.is_available() else "no", "; so use", device)

x = torch.tensor([1.0, 2.0, 3.0], device=device)
print("\nx    ", x)
print("x * x", x * x)
