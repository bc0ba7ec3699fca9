"""Nets in KataGo's layout, model version 8: residual blocks, some with global pooling, and ReLU; and their files.

A file has words separated by white space, and arrays of little-endian 32-bit floats after the marker @BIN@. Source:
KataGo's `neuralnet/desc.cpp`. The batch norms of the file have fixed means and variances, so here each is a scale and a
shift per channel.
"""
import gzip
from typing import NamedTuple

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from files import one_line_errors, write_atomically

VERSION, PLANES, GLOBALS = 8, 22, 19
# stones that a ladder takes, and moves that begin to take a chain of the opponent by a ladder
LADDER_PLANES = [14, 17]
OWN_KOMI, IS_TERRITORY = 5, 9  # indices of global inputs
SCORE_UNIT = 20.0  # points per unit of the raw outputs score, score_stdev and lead


class Outputs(NamedTuple):
    """Outputs from the perspective of the side to move."""

    policy: torch.Tensor  # n, area + 1; logits, the last is the pass
    value: torch.Tensor  # n, 3; logits of win, loss and no result
    score: torch.Tensor  # n; mean of the final score, points
    score_stdev: torch.Tensor  # n; its standard deviation, points
    lead: torch.Tensor  # n; points
    ownership: torch.Tensor  # n, area; 1 is the side to move


class Affine(nn.Module):
    """Scale and shift per channel, then ReLU."""

    def __init__(self, channels):
        super().__init__()
        self.scale, self.shift = nn.Parameter(torch.ones(channels)), nn.Parameter(torch.zeros(channels))

    def forward(self, x):
        return torch.addcmul(self.shift.view(1, -1, 1, 1), x, self.scale.view(1, -1, 1, 1)).relu_()


def convolution(inputs, outputs, side):
    layer = nn.Conv2d(inputs, outputs, side, padding=side // 2, bias=False)
    nn.init.kaiming_normal_(layer.weight, nonlinearity="relu")
    return layer


def pooled(x, is_value_head=False):
    """Global pooling: of each channel the mean, the mean scaled by the board's side, and the maximum. The value head has the
    mean scaled by the square of the side instead of the maximum."""
    mean, side = x.mean((2, 3)), (x.shape[2] * x.shape[3]) ** 0.5 - 14
    third = mean * (side * side * 0.01 - 0.1) if is_value_head else x.amax((2, 3))
    return torch.cat([mean, mean * (side * 0.1), third], 1)


class GlobalPooling(nn.Module):
    """A convolution plus a linear function of the globally pooled output of another convolution."""

    def __init__(self, channels, regular, pooling, side):
        super().__init__()
        self.regular, self.pooling = convolution(channels, regular, side), convolution(channels, pooling, side)
        self.pooling_norm, self.norm = Affine(pooling), Affine(regular)
        self.pool_to_bias = nn.Linear(3 * pooling, regular, bias=False)
        nn.init.normal_(self.pool_to_bias.weight, std=0.3 / (3 * pooling) ** 0.5)

    def forward(self, x):
        means = pooled(self.pooling_norm(self.pooling(x)))
        return self.norm(self.regular(x) + self.pool_to_bias(means)[:, :, None, None]), means


class Block(nn.Module):
    """A residual block, initialised to the identity; `pooling` of its channels have global pooling."""

    def __init__(self, channels, pooling):
        super().__init__()
        self.before, self.last = Affine(channels), convolution(channels - pooling, channels, 3)
        nn.init.zeros_(self.last.weight)
        if pooling:
            self.inner = GlobalPooling(channels, channels - pooling, pooling, 3)
        else:
            self.inner = nn.Sequential(convolution(channels, channels, 3), Affine(channels))

    def forward(self, x):
        inner = self.inner(self.before(x))
        return x + self.last(inner[0] if isinstance(inner, tuple) else inner)


class Net(nn.Module):
    """A net of `blocks` blocks and `channels` channels; every third block has global pooling."""

    def __init__(self, blocks, channels):
        super().__init__()
        pooling, heads, hidden = channels // 4, max(16, channels // 3 // 8 * 8), max(32, channels // 2)
        self.stem, self.stem_globals = convolution(PLANES, channels, 3), nn.Linear(GLOBALS, channels, bias=False)
        self.blocks = nn.ModuleList(Block(channels, pooling if number % 3 == 2 else 0) for number in range(blocks))
        self.tip = Affine(channels)
        self.policy = GlobalPooling(channels, heads, heads, 1)
        self.policy_last, self.pass_ = convolution(heads, 1, 1), nn.Linear(3 * heads, 1, bias=False)
        self.value, self.value_norm = convolution(channels, heads, 1), Affine(heads)
        self.hidden, self.win, self.score = nn.Linear(3 * heads, hidden), nn.Linear(hidden, 3), nn.Linear(hidden, 4)
        self.ownership = convolution(heads, 1, 1)
        for last in (self.policy_last, self.pass_, self.win, self.score, self.ownership):
            nn.init.normal_(last.weight, std=0.02)

    def forward(self, planes, globals):
        """planes: n, PLANES, height, width; globals: n, GLOBALS."""
        x = self.stem(planes) + self.stem_globals(globals)[:, :, None, None]
        for block in self.blocks:
            x = block(x)
        x = self.tip(x)
        inner, means = self.policy(x)
        policy = torch.cat([self.policy_last(inner).flatten(1), self.pass_(means)], 1)
        values = self.value_norm(self.value(x))
        hidden = self.hidden(pooled(values, is_value_head=True)).relu()
        score = self.score(hidden).float()
        return Outputs(
            policy.float(), self.win(hidden).float(), score[:, 0] * SCORE_UNIT, F.softplus(score[:, 1]) * SCORE_UNIT,
            score[:, 2] * SCORE_UNIT, self.ownership(values).flatten(1).float().tanh(),
        )  # fmt: skip

    def parameter_count(self):
        return sum(parameter.numel() for parameter in self.parameters())


# ---------------------------------------------------------------- files


class Writer:
    def __init__(self):
        self.data, self.count = b"", 0

    def put(self, *words):
        self.data += "".join(f"{word}\n" for word in words).encode()

    def name(self):
        self.count += 1
        self.put(f"layer{self.count}")

    def floats(self, tensor):
        self.data += b"@BIN@" + tensor.detach().float().contiguous().cpu().numpy().astype("<f4").tobytes() + b"\n"

    def convolution(self, layer):
        outputs, inputs, height, width = layer.weight.shape
        self.name()
        self.put(height, width, inputs, outputs, 1, 1)
        self.floats(layer.weight.permute(2, 3, 1, 0))

    def linear(self, layer):
        self.name()
        self.put(layer.in_features, layer.out_features)
        self.floats(layer.weight.T)
        if layer.bias is not None:
            self.name()
            self.put(layer.out_features)
            self.floats(layer.bias)

    def norm(self, layer):
        channels = len(layer.scale)
        self.name()
        self.put(channels, 1e-20, 1, 1)  # epsilon: no effect beside the variance 1
        for tensor in (torch.zeros(channels), torch.ones(channels), layer.scale, layer.shift):
            self.floats(tensor)
        self.name()

    def pooled(self, layer):
        self.convolution(layer.regular)
        self.convolution(layer.pooling)
        self.norm(layer.pooling_norm)
        self.linear(layer.pool_to_bias)
        self.norm(layer.norm)

    def block(self, block):
        is_pooling = isinstance(block.inner, GlobalPooling)
        self.put("gpool_block" if is_pooling else "ordinary_block")
        self.name()
        self.norm(block.before)
        if is_pooling:
            self.pooled(block.inner)
        else:
            self.convolution(block.inner[0])
            self.norm(block.inner[1])
        self.convolution(block.last)

    def net(self, net, name):
        channels = net.stem.out_channels
        self.put(name, VERSION, net.stem.in_channels, net.stem_globals.in_features)
        # channel counts, which readers take from the layers
        self.put("trunk", len(net.blocks), channels, channels, channels - channels // 4, channels // 4, channels // 4)
        self.convolution(net.stem)
        self.linear(net.stem_globals)
        for block in net.blocks:
            self.block(block)
        self.norm(net.tip)
        self.put("policyhead")
        self.pooled(net.policy)
        self.convolution(net.policy_last)
        self.linear(net.pass_)
        self.put("valuehead")
        self.convolution(net.value)
        self.norm(net.value_norm)
        self.linear(net.hidden)
        self.name()
        self.linear(net.win)
        self.linear(net.score)
        self.convolution(net.ownership)


def write(net, path, name):
    """Writes the file of a net atomically."""
    writer = Writer()
    writer.net(net, name)
    write_atomically(path, lambda file: file.write(gzip.compress(writer.data, 9, mtime=0)))


class Reader:
    def __init__(self, data):
        self.data, self.at = data, 0

    def word(self):
        while self.data[self.at] in b" \n\r\t":
            self.at += 1
        start = self.at
        while self.data[self.at] not in b" \n\r\t":
            self.at += 1
        return self.data[start : self.at].decode()

    def numbers(self, count):
        return [int(self.word()) for _ in range(count)]

    def floats(self, *shape):
        mark = self.data.index(b"@BIN@", self.at)
        if self.data[self.at : mark].strip():
            raise ValueError(f"expected @BIN@ at byte {self.at}")
        count = int(np.prod(shape))
        values = np.frombuffer(self.data, "<f4", count, mark + 5)
        self.at = mark + 5 + 4 * count
        return torch.from_numpy(values.reshape(shape).copy())

    def convolution(self):
        self.word()
        height, width, inputs, outputs, down, across = self.numbers(6)
        if (down, across) != (1, 1):
            raise ValueError("a dilated convolution, expected dilation 1")
        layer = nn.Conv2d(inputs, outputs, (height, width), padding=(height // 2, width // 2), bias=False)
        layer.weight.data = self.floats(height, width, inputs, outputs).permute(3, 2, 0, 1).contiguous()
        return layer

    def linear(self, has_bias=False):
        self.word()
        inputs, outputs = self.numbers(2)
        layer = nn.Linear(inputs, outputs, bias=has_bias)
        layer.weight.data = self.floats(inputs, outputs).T.contiguous()
        if has_bias:
            self.word()
            layer.bias.data = self.floats(*self.numbers(1))
        return layer

    def norm(self):
        self.word()
        (channels,), epsilon, (has_scale, has_shift) = self.numbers(1), float(self.word()), self.numbers(2)
        mean, variance = self.floats(channels), self.floats(channels)
        scale = self.floats(channels) if has_scale else torch.ones(channels)
        shift = self.floats(channels) if has_shift else torch.zeros(channels)
        scale = scale / torch.sqrt(variance + epsilon)
        layer = Affine(channels)
        layer.scale.data, layer.shift.data = scale, shift - mean * scale
        self.word()
        return layer

    def pooled(self):
        layer = GlobalPooling(1, 1, 1, 1)
        layer.regular, layer.pooling, layer.pooling_norm = self.convolution(), self.convolution(), self.norm()
        layer.pool_to_bias, layer.norm = self.linear(), self.norm()
        return layer

    def block(self):
        kind, _ = self.word(), self.word()
        if kind not in ("ordinary_block", "gpool_block"):
            raise ValueError(f"a {kind}, expected an ordinary_block or a gpool_block")
        block = Block(1, 0)
        block.before = self.norm()
        block.inner = self.pooled() if kind == "gpool_block" else nn.Sequential(self.convolution(), self.norm())
        block.last = self.convolution()
        return block

    def net(self):
        name, version = self.word(), int(self.word())
        if version != VERSION:
            raise ValueError(f"model version {version}, expected {VERSION}")
        self.numbers(2)
        self.word()
        (blocks, *_) = self.numbers(6)
        net = Net(0, 8)
        net.stem, net.stem_globals = self.convolution(), self.linear()
        net.blocks = nn.ModuleList(self.block() for _ in range(blocks))
        net.tip = self.norm()
        self.word()
        net.policy, net.policy_last, net.pass_ = self.pooled(), self.convolution(), self.linear()
        self.word()
        net.value, net.value_norm, net.hidden = self.convolution(), self.norm(), self.linear(True)
        self.word()
        net.win, net.score, net.ownership = self.linear(True), self.linear(True), self.convolution()
        if self.data[self.at :].strip():
            raise ValueError("there is data after the net")
        return net, name


def read(path):
    """The net in a file, and its name."""
    with one_line_errors(path), gzip.open(path, "rb") as opened:
        return Reader(opened.read()).net()
