"""The net, and its file as the engine reads it (src/net/weights.rs).

    stem     3x3 convolution of the planes, + linear of the two numbers on every point, ReLU
    blocks   3x3 convolution, ReLU; in every other one + linear of (mean, maximum over the board) on every point;
             3x3 convolution, + what went in, ReLU
    policy   1x1 convolution to 32, + linear of (mean, maximum), ReLU, 1x1 convolution to 1; a pass: linear
    value    linear of (mean, maximum) to 64, ReLU, linear to 1: the logarithm of the odds that who is to move wins

A 1x1 convolution tells whose each point will be at the end; it helps in training only and is not in the file. Batch
normalisation is folded into the convolution before it.
"""
import json
import os

import torch
import torch.nn.functional as F
from safetensors import safe_open
from safetensors.torch import save as serialize
from torch import nn

from data import PLANES, SCALARS

FORMAT = "kifuwarabe-net-1"
POLICY_CHANNELS, VALUE_CHANNELS = 32, 64
PLAIN = ("stem_scalars", "policy1", "policy_mix", "policy2", "policy_pass", "value1", "value2")


def pool(x):
    return torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)


def convolution(inputs, outputs):
    return nn.Conv2d(inputs, outputs, 3, padding=1, bias=False)


class Block(nn.Module):
    def __init__(self, channels, is_mixing):
        super().__init__()
        self.conv1, self.bn1 = convolution(channels, channels), nn.BatchNorm2d(channels)
        self.conv2, self.bn2 = convolution(channels, channels), nn.BatchNorm2d(channels)
        self.mix = nn.Linear(2 * channels, channels) if is_mixing else None

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        if self.mix is not None:
            y = y + self.mix(pool(y))[:, :, None, None]
        return F.relu(x + self.bn2(self.conv2(y)))


class Net(nn.Module):
    def __init__(self, channels, blocks):
        super().__init__()
        c = self.channels = channels
        self.stem, self.stem_bn, self.stem_scalars = convolution(PLANES, c), nn.BatchNorm2d(c), nn.Linear(SCALARS, c)
        self.blocks = nn.ModuleList(Block(c, i % 2 == 1) for i in range(blocks))
        self.policy1, self.policy_mix = nn.Conv2d(c, POLICY_CHANNELS, 1), nn.Linear(2 * c, POLICY_CHANNELS)
        self.policy2, self.policy_pass = nn.Conv2d(POLICY_CHANNELS, 1, 1), nn.Linear(2 * c, 1)
        self.value1, self.value2 = nn.Linear(2 * c, VALUE_CHANNELS), nn.Linear(VALUE_CHANNELS, 1)
        self.ownership = nn.Conv2d(c, 1, 1)

    def forward(self, planes, scalars):
        """Policy (n, area + 1), value (n) and ownership (n, area), all before they are made chances."""
        x = F.relu(self.stem_bn(self.stem(planes)) + self.stem_scalars(scalars)[:, :, None, None])
        for block in self.blocks:
            x = block(x)
        g = pool(x)
        p = F.relu(self.policy1(x) + self.policy_mix(g)[:, :, None, None])
        policy = torch.cat([self.policy2(p).flatten(1), self.policy_pass(g)], 1)
        value = self.value2(F.relu(self.value1(g))).squeeze(1)
        return policy, value, self.ownership(x).flatten(1)

    def normalised(self):
        """The convolutions with batch normalisation after them, by their names in the file."""
        yield "stem", self.stem, self.stem_bn
        for i, block in enumerate(self.blocks):
            yield f"block{i}.conv1", block.conv1, block.bn1
            yield f"block{i}.conv2", block.conv2, block.bn2

    def plain(self):
        """The other layers of the file."""
        for name in PLAIN:
            yield name, getattr(self, name)
        for i, block in enumerate(self.blocks):
            if block.mix is not None:
                yield f"block{i}.mix", block.mix

    def folded(self):
        """The tensors of the file."""
        tensors = {}
        for name, conv, bn in self.normalised():
            scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
            tensors[f"{name}.weight"] = conv.weight * scale[:, None, None, None]
            tensors[f"{name}.bias"] = bn.bias - bn.running_mean * scale
        for name, layer in self.plain():
            tensors[f"{name}.weight"], tensors[f"{name}.bias"] = layer.weight, layer.bias
        return {name: tensor.detach().half().cpu().contiguous() for name, tensor in tensors.items()}


def save(net, path, facts):
    """Writes the file, all or nothing; `facts` are noted in it for people."""
    metadata = {
        "format": FORMAT,
        "channels": str(net.channels),
        "blocks": str(len(net.blocks)),
        "facts": json.dumps(facts),
    }
    with open(path + ".tmp", "wb") as file:
        file.write(serialize(net.folded(), metadata))
    os.replace(path + ".tmp", path)


def load(path):
    """The net of a file, to evaluate with: what was folded stays so, and batch normalisation does nothing but add."""
    with safe_open(path, "pt") as file:
        facts = file.metadata() or {}
        if facts.get("format") != FORMAT:
            raise ValueError(f"{path}: format {facts.get('format')}, expected {FORMAT}")
        net = Net(int(facts["channels"]), int(facts["blocks"]))
        with torch.no_grad():
            for name, conv, bn in net.normalised():
                conv.weight.copy_(file.get_tensor(f"{name}.weight"))
                bn.bias.copy_(file.get_tensor(f"{name}.bias"))
                bn.running_var.fill_(1 - bn.eps)
            for name, layer in net.plain():
                layer.weight.copy_(file.get_tensor(f"{name}.weight"))
                layer.bias.copy_(file.get_tensor(f"{name}.bias"))
    return net.eval()
