"""programs/fixed.cpp in PyTorch: losses that every machine can reproduce.

Twin of: ./course run 4 fixed --device cpu
Compared: epoch ([0-9]+), loss (.+)
Compared: ^  (Conv2d|ReLU|MaxPool2d|Flatten|Linear) +(.+)
Compared: ([0-9]+) parameters
Compared: step ([1-3]), loss (.+)
Compared: view created in (grad mode): (.+)

The weights and the data are those of fixed.cpp, which a formula gives. Change `device` to "cuda" where there is a GPU.
"""

import torch
from torch import nn

device = torch.device("cpu")


def values(sizes, factor, modulus, shift, divisor):
    k = torch.arange(torch.Size(sizes).numel())
    return (((factor * k) % modulus - shift).double() / divisor).float().reshape(sizes)


def fill(model):
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.copy_(values(parameter.shape, 37, 101, 50, 500))


def train_step(model, loss_fn, optimizer, inputs, targets):
    optimizer.zero_grad()
    loss = loss_fn(model(inputs), targets)
    loss.backward()
    optimizer.step()
    return loss.detach()  # on the device, without the graph


# ---- SimpleModel on data that is created once
model = nn.Sequential(nn.Linear(10, 1))
fill(model)
model = model.to(device)
inputs = values((100, 10), 53, 97, 0, 97).to(device)
targets = values((100, 1), 29, 31, 0, 31).to(device)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
print("SimpleModel, 100 samples")
for epoch in range(1, 11):
    loss = train_step(model, nn.MSELoss(), optimizer, inputs, targets)
    print(f"  epoch {epoch}, loss {loss.item():.6g}")

# ---- LeNet
lenet = nn.Sequential(
    nn.Conv2d(1, 6, 5, padding=2), nn.ReLU(), nn.MaxPool2d(2),
    nn.Conv2d(6, 16, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
    nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84), nn.ReLU(), nn.Linear(84, 10))
fill(lenet)
lenet = lenet.to(device)
images = values((8, 1, 28, 28), 53, 97, 0, 97).to(device)
targets = torch.arange(8, device=device)
print("LeNet, 8 gray images of 28 x 28")
with torch.no_grad():
    x = images
    for layer in lenet:
        x = layer(x)
        print(f"  {type(layer).__name__:<11}{list(x.shape)}")
print(f"  {sum(p.numel() for p in lenet.parameters())} parameters")
optimizer = torch.optim.SGD(lenet.parameters(), lr=0.01, momentum=0.9)
loss_fn = nn.CrossEntropyLoss().to(device)
for step in (1, 2, 3):
    print(f"  step {step}, loss {train_step(lenet, loss_fn, optimizer, images, targets).item():.6g}")

# ---- Views: PyTorch remembers that a view was created without gradient tracking, and throws; td does not
w = torch.full((2, 2), 3.0, requires_grad=True)
print("An in-place operation on a view")
for name, mode in (("grad mode", torch.enable_grad()), ("no_grad", torch.no_grad()), ("inference mode", torch.inference_mode())):
    base = torch.ones(4)
    with mode:
        view = base.view(2, 2)
    try:
        view.mul_(w)  # in grad mode again; view and base share their memory
        print(f"  view created in {name}: base[0] is {base[0].item():g}, base has {'a' if base.requires_grad else 'no'} graph")
    except RuntimeError:
        print(f"  view created in {name}: throws")
