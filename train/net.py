"""The nets of this project, and their files as the engine reads them (src/net/native/).

A net of the format `kifuwarabe-net-1` is trained on games. (mean, maximum) are over the board, per channel:

    stem     3x3 convolution of the planes, + linear of the two global inputs (broadcast to every point), ReLU
    blocks   3x3 convolution, ReLU; in every second block + linear of (mean, maximum), broadcast;
             3x3 convolution, + the input of the block, ReLU
    policy   1x1 convolution to 32, + linear of (mean, maximum), ReLU, 1x1 convolution to 1; for a pass: linear of
             (mean, maximum)
    value    linear of (mean, maximum) to 64, ReLU, linear to 1: the logit of a win of the side to move

An auxiliary 1x1 convolution predicts the final owner of each point. It is for training only and is not in the file. In
the file, batch normalisation is folded into the convolution before it.

A net of the format `kifuwarabe-net-2` is trained on the outputs of another net, and also predicts the score. A
third global input is 1 under territory scoring. Under territory scoring, komi includes the number of stones that Black has
played minus the number that White has played, which converts an area score to a territory score. Stem, blocks and policy
are the same, without batch normalisation; the rest:

    ownership    like the policy without a pass, hyperbolic tangent
    counted      sum of the ownership, + komi for the side to move; this and the following in units of 20 points
    value        linear of (mean, maximum, counted) to 64, ReLU, linear to 4: v, c, d, w
    lead         counted + c
    score_stdev  softplus(d) + 0.02
    win          v + softplus(w) * lead: the logit of a win of the side to move
"""
import json

import torch
import torch.nn.functional as F
from safetensors import safe_open
from safetensors.torch import save as serialize
from torch import nn

from data import GLOBALS, MAX_KOMI, PLANES
from files import one_line_errors, write_atomically
from katago import SCORE_UNIT, Outputs

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"  # where nets are trained
MIN_DEVIATION = 0.02  # of the score, in units of SCORE_UNIT
POLICY_CHANNELS, VALUE_CHANNELS = 32, 64
# inputs of kifuwarabe-net-2: those of kifuwarabe-net-1, two ladder planes, and the kind of scoring
SCORE_PLANES, SCORE_GLOBALS = PLANES + 2, GLOBALS + 1
# names of layers in the files, where `mix` is `pool_to_bias`, and `stem_scalars` is `stem_globals`
POOLED = ("mix", "policy_pass", "value1")  # layers that read mean and maximum
OTHER_LAYERS = {
    "stem_scalars": "stem_globals", "policy1": "policy1", "policy_mix": "policy_pool_to_bias", "policy2": "policy2",
    "policy_pass": "policy_pass", "value1": "value1", "value2": "value2",
}  # fmt: skip


def pool(x):
    """Mean and maximum of each channel over the board."""
    return torch.cat([x.mean((2, 3)), x.amax((2, 3))], 1)


def convolution(inputs, outputs):
    return nn.Conv2d(inputs, outputs, 3, padding=1, bias=False)


class Block(nn.Module):
    def __init__(self, channels, has_pooling):
        super().__init__()
        self.conv1, self.bn1 = convolution(channels, channels), nn.BatchNorm2d(channels)
        self.conv2, self.bn2 = convolution(channels, channels), nn.BatchNorm2d(channels)
        self.pool_to_bias = nn.Linear(2 * channels, channels) if has_pooling else None

    def forward(self, x):
        y = F.relu(self.bn1(self.conv1(x)))
        if self.pool_to_bias is not None:
            y = y + self.pool_to_bias(pool(y))[:, :, None, None]
        return F.relu(x + self.bn2(self.conv2(y)))


class Net(nn.Module):
    """A `kifuwarabe-net-1`: policy and value."""

    FORMAT = "kifuwarabe-net-1"

    def __init__(self, channels, blocks):
        super().__init__()
        c = self.channels = channels
        self.stem, self.stem_bn, self.stem_globals = convolution(PLANES, c), nn.BatchNorm2d(c), nn.Linear(GLOBALS, c)
        self.blocks = nn.ModuleList(Block(c, i % 2 == 1) for i in range(blocks))
        self.policy1, self.policy_pool_to_bias = nn.Conv2d(c, POLICY_CHANNELS, 1), nn.Linear(2 * c, POLICY_CHANNELS)
        self.policy2, self.policy_pass = nn.Conv2d(POLICY_CHANNELS, 1, 1), nn.Linear(2 * c, 1)
        self.value1, self.value2 = nn.Linear(2 * c, VALUE_CHANNELS), nn.Linear(VALUE_CHANNELS, 1)
        self.ownership = nn.Conv2d(c, 1, 1)

    def forward(self, planes, globals):
        """The logits of policy (n, area + 1), value (n) and ownership (n, area)."""
        x = F.relu(self.stem_bn(self.stem(planes)) + self.stem_globals(globals)[:, :, None, None])
        for block in self.blocks:
            x = block(x)
        g = pool(x)
        p = F.relu(self.policy1(x) + self.policy_pool_to_bias(g)[:, :, None, None])
        policy = torch.cat([self.policy2(p).flatten(1), self.policy_pass(g)], 1)
        value = self.value2(F.relu(self.value1(g))).squeeze(1)
        return policy, value, self.ownership(x).flatten(1)

    def convolutions_with_norm(self):
        """The convolutions that are followed by batch normalisation, with their names in the file."""
        yield "stem", self.stem, self.stem_bn
        for i, block in enumerate(self.blocks):
            yield f"block{i}.conv1", block.conv1, block.bn1
            yield f"block{i}.conv2", block.conv2, block.bn2

    def other_layers(self):
        """The other layers of the file, with their names."""
        for name, attribute in OTHER_LAYERS.items():
            yield name, getattr(self, attribute)
        for i, block in enumerate(self.blocks):
            if block.pool_to_bias is not None:
                yield f"block{i}.mix", block.pool_to_bias

    def file_tensors(self):
        """The tensors of the file, by name."""
        tensors = {}
        for name, conv, bn in self.convolutions_with_norm():
            scale = bn.weight / torch.sqrt(bn.running_var + bn.eps)
            tensors[f"{name}.weight"] = conv.weight * scale[:, None, None, None]
            tensors[f"{name}.bias"] = bn.bias - bn.running_mean * scale
        for name, layer in self.other_layers():
            tensors[f"{name}.weight"], tensors[f"{name}.bias"] = layer.weight, layer.bias
        return {name: tensor.detach().half().cpu().contiguous() for name, tensor in tensors.items()}


class PointHead(nn.Module):
    """A head with one output for each point."""

    def __init__(self, channels):
        super().__init__()
        self.first, self.pool_to_bias = nn.Conv2d(channels, POLICY_CHANNELS, 1), nn.Linear(2 * channels, POLICY_CHANNELS)
        self.last = nn.Conv2d(POLICY_CHANNELS, 1, 1)

    def forward(self, x, g):
        y = F.relu(self.first(x) + self.pool_to_bias(g)[:, :, None, None]).permute(0, 2, 3, 1)
        # a product: GPUs have slow convolutions to one channel
        return F.linear(y, self.last.weight.flatten(1), self.last.bias).flatten(1)

    def named_layers(self, name):
        yield f"{name}1", self.first
        yield f"{name}_mix", self.pool_to_bias
        yield f"{name}2", self.last


class ScoreBlock(nn.Module):
    def __init__(self, channels, has_pooling):
        super().__init__()
        self.conv1, self.conv2 = (nn.Conv2d(channels, channels, 3, padding=1) for _ in range(2))
        self.pool_to_bias = nn.Linear(2 * channels, channels) if has_pooling else None
        # initialised to the identity
        nn.init.zeros_(self.conv2.weight), nn.init.zeros_(self.conv2.bias)

    def forward(self, x):
        y = F.relu(self.conv1(x))
        if self.pool_to_bias is not None:
            y = y + self.pool_to_bias(pool(y))[:, :, None, None]
        return F.relu(x + self.conv2(y))


class ScoreNet(nn.Module):
    """A `kifuwarabe-net-2`: policy, value, score and ownership."""

    FORMAT = "kifuwarabe-net-2"

    def __init__(self, channels, blocks):
        super().__init__()
        c = self.channels = channels
        self.stem, self.stem_globals = nn.Conv2d(SCORE_PLANES, c, 3, padding=1), nn.Linear(SCORE_GLOBALS, c)
        self.blocks = nn.ModuleList(ScoreBlock(c, i % 2 == 1) for i in range(blocks))
        self.policy, self.policy_pass, self.ownership = PointHead(c), nn.Linear(2 * c, 1), PointHead(c)
        self.value1, self.value2 = nn.Linear(2 * c + 1, VALUE_CHANNELS), nn.Linear(VALUE_CHANNELS, 4)
        for last in (self.policy.last, self.policy_pass, self.ownership.last, self.value2):
            nn.init.normal_(last.weight, std=0.02), nn.init.zeros_(last.bias)

    def forward(self, planes, globals):
        """The outputs for the side to move. The probability of no result is about 0. The layers read komi clamped to 15
        points; the score counts all of it."""
        return self.outputs(self.stem(planes), globals)

    def outputs(self, stem, globals):
        """The outputs, from the output of the first convolution."""
        x = F.relu(stem + self.stem_globals(globals.clamp(-1, 1))[:, :, None, None])
        for block in self.blocks:
            x = block(x)
        g = pool(x)
        policy = torch.cat([self.policy(x, g), self.policy_pass(g)], 1).float()
        ownership = self.ownership(x, g).float().tanh()
        counted = (ownership.sum(1) + globals[:, 0] * MAX_KOMI) / SCORE_UNIT
        v = self.value2(F.relu(self.value1(torch.cat([g, counted[:, None]], 1)))).float()
        lead = counted + v[:, 1]
        score_stdev = F.softplus(v[:, 2]) + MIN_DEVIATION
        win = v[:, 0] + F.softplus(v[:, 3]) * lead
        value = torch.stack([win, torch.zeros_like(win), torch.full_like(win, -30)], 1)
        return Outputs(policy, value, lead * SCORE_UNIT, score_stdev * SCORE_UNIT, lead * SCORE_UNIT, ownership)

    def layers(self):
        """All layers, with their names in the file."""
        yield "stem", self.stem
        yield "stem_scalars", self.stem_globals
        for i, block in enumerate(self.blocks):
            yield f"block{i}.conv1", block.conv1
            yield f"block{i}.conv2", block.conv2
            if block.pool_to_bias is not None:
                yield f"block{i}.mix", block.pool_to_bias
        yield from self.policy.named_layers("policy")
        yield "policy_pass", self.policy_pass
        yield from self.ownership.named_layers("ownership")
        yield "value1", self.value1
        yield "value2", self.value2

    @torch.no_grad()
    def grown(self, channels, blocks):
        """A net with more channels and blocks and the same outputs. A new channel computes random features, which no layer
        reads yet: the weights from new to old channels, and all of the new blocks' last convolutions, are zero."""
        old = self.channels
        if channels < old or blocks < len(self.blocks):
            raise ValueError(f"{channels} channels and {blocks} blocks, expected at least {old} and {len(self.blocks)}")
        net = ScoreNet(channels, blocks)
        copies = dict(net.layers())
        for name, layer in self.layers():
            copy, (outputs, inputs) = copies[name], layer.weight.shape[:2]
            read = range(inputs)
            if name.endswith(POOLED):  # the old channels' means, their maxima, other inputs
                read = [*range(old), *range(channels, channels + old), *range(2 * channels, 2 * channels + inputs - 2 * old)]
            copy.weight[:outputs] = 0
            copy.weight[:outputs, read] = layer.weight
            copy.bias[:outputs] = layer.bias
        return net

    def file_tensors(self):
        """The tensors of the file, by name."""
        tensors = {}
        for name, layer in self.layers():
            tensors[f"{name}.weight"], tensors[f"{name}.bias"] = layer.weight, layer.bias
        return {name: tensor.detach().half().cpu().contiguous() for name, tensor in tensors.items()}

    def parameter_count(self):
        return sum(parameter.numel() for parameter in self.parameters())


def save(net, path, facts):
    """Writes the file atomically; `facts` go into its metadata for information."""
    metadata = {
        "format": net.FORMAT,
        "channels": str(net.channels),
        "blocks": str(len(net.blocks)),
        "planes": str(net.stem.in_channels),
        "facts": json.dumps(facts),
    }
    write_atomically(path, lambda file: file.write(serialize(net.file_tensors(), metadata)))


def read_header(file, formats):
    """The class of the net in a file, and its numbers of channels and blocks."""
    facts = file.metadata() or {}
    found = [kind for kind in formats if kind.FORMAT == facts.get("format")]
    if not found:
        raise ValueError(f"format {facts.get('format')}, expected {' or '.join(kind.FORMAT for kind in formats)}")
    return found[0], int(facts["channels"]), int(facts["blocks"])


def load(path):
    """The net in a file of the format `kifuwarabe-net-1`, for evaluation only. Batch normalisation is already folded in;
    the layer adds its bias only."""
    with one_line_errors(path), safe_open(path, "pt") as file:
        _, channels, blocks = read_header(file, [Net])
        net = Net(channels, blocks)
        with torch.no_grad():
            for name, conv, bn in net.convolutions_with_norm():
                conv.weight.copy_(file.get_tensor(f"{name}.weight"))
                bn.bias.copy_(file.get_tensor(f"{name}.bias"))
                bn.running_var.fill_(1 - bn.eps)
            for name, layer in net.other_layers():
                layer.weight.copy_(file.get_tensor(f"{name}.weight"))
                layer.bias.copy_(file.get_tensor(f"{name}.bias"))
    return net.eval()


def load_score_net(path, kinds=(ScoreNet, Net)):
    """The net in a file of the format `kifuwarabe-net-2`. From a `kifuwarabe-net-1`, if `kinds` allows it, the layers that
    both formats have; the other layers keep their initial weights."""
    with one_line_errors(path), safe_open(path, "pt") as file:
        kind, channels, blocks = read_header(file, kinds)
        net = ScoreNet(channels, blocks)
        with torch.no_grad():
            for name, layer in net.layers():
                if kind is Net and (name.startswith("ownership") or name == "value2"):
                    continue
                weight = file.get_tensor(f"{name}.weight")
                if kind is Net and name in ("stem_scalars", "value1"):
                    weight = F.pad(weight, (0, 1))
                if name == "stem":  # files without ladder planes have fewer
                    weight = F.pad(weight, (0, 0, 0, 0, 0, SCORE_PLANES - weight.shape[1]))
                layer.weight.copy_(weight)
                layer.bias.copy_(file.get_tensor(f"{name}.bias"))
            if kind is Net:
                net.value2.weight[0].copy_(file.get_tensor("value2.weight")[0])
                net.value2.bias[0].copy_(file.get_tensor("value2.bias")[0])
                # a small initial weight of the lead
                net.value2.bias[3] = -2
    return net


def load_grown(path, channels=None, blocks=None):
    """The net in a file, as `load_score_net` reads it, with more channels and blocks if they are given."""
    net = load_score_net(path)
    with one_line_errors(path):
        return net.grown(channels or net.channels, blocks or len(net.blocks))
