"""Makes the nets katago_tiny_*.txt.gz: every kind of layer that KataGo's nets can have, a few channels, random weights.

    python3 katago_tiny.py FOLDER

The nets play no Go. They are for tests/it/katago_nets.rs, whose figures for them, katago_tiny.json.gz, katago_check.py made with
KataGo 1.17.2 (--count 24 --seed 3, the player being the net with 6 blocks of KataGo's tests).
"""
import gzip
import math
import os
import random
import sys


class Writer:
    def __init__(self, seed, version, kinds):
        self.random = random.Random(seed)
        self.version, self.kinds, self.lines, self.count = version, kinds, [], 0

    def put(self, *words):
        self.lines += map(str, words)

    def name(self):
        self.count += 1
        self.put(f"layer{self.count}")

    def floats(self, count, spread, middle=0.0):
        self.put(" ".join(f"{self.random.gauss(middle, spread):.2f}" for _ in range(count)))

    def convolution(self, inputs, outputs, height, width=None):
        width = width or height
        self.name()
        self.put(height, width, inputs, outputs, 1, 1)
        self.floats(height * width * inputs * outputs, 1.2 / math.sqrt(height * width * inputs))

    def linear(self, inputs, outputs):
        self.name()
        self.put(inputs, outputs)
        self.floats(inputs * outputs, 1 / math.sqrt(inputs))

    def bias(self, count):
        self.name()
        self.put(count)
        self.floats(count, 0.2)

    def activation(self):
        self.name()
        if self.version >= 11:
            self.put("ACTIVATION_" + self.random.choice(self.kinds))

    def norm(self, channels):
        self.name()
        scaled, shifted = self.random.choice([(0, 1), (1, 1), (1, 0), (0, 0)])
        self.put(channels, 0.001, scaled, shifted)
        self.floats(channels, 0.1)
        self.put(" ".join(f"{self.random.uniform(0.5, 2):.2f}" for _ in range(channels)))
        if scaled:
            self.floats(channels, 0.3, 1)
        if shifted:
            self.floats(channels, 0.2)
        self.activation()

    def pooled(self, channels, regular, pooling, filters):
        self.convolution(channels, regular, filters[0])
        self.convolution(channels, pooling, filters[1])
        self.norm(pooling)
        self.linear(3 * pooling, regular)
        self.norm(regular)

    def block(self, kind, channels):
        names = {"nested": "nested_bottleneck", "attention": "transformer_attention", "ffn": "transformer_ffn"}
        words = kind.split()
        self.put(names.get(words[0], words[0]) + "_block")
        self.name()
        if words[0] == "ordinary":
            self.norm(channels)
            self.convolution(channels, 7, 3, 3)
            self.norm(7)
            self.convolution(7, channels, 3)
        elif words[0] == "gpool":
            self.norm(channels)
            self.pooled(channels, 6, 5, (3, 1) if channels == 9 else (3, 3))
            self.convolution(6, channels, 3)
        elif words[0] == "nested":
            inner = {"nested": ["ordinary", "gpool"], "deep": ["nested", "ordinary"]}[words[-1]]
            self.put(len(inner))
            self.norm(channels)
            self.convolution(channels, channels - 2, 1)
            for kind in inner:
                self.block(kind, channels - 2)
            self.norm(channels - 2)
            self.convolution(channels - 2, channels, 1)
        elif words[0] == "attention":
            heads, kv_heads, query, value, rotated, learned = map(int, words[1:])
            self.put(heads, kv_heads, query, value, rotated, learned)
            self.rms(channels)
            self.linear(channels, heads * query)
            self.linear(channels, kv_heads * query)
            self.linear(channels, kv_heads * value)
            self.linear(heads * value, channels)
            if rotated and learned:
                self.name()
                self.put(kv_heads, query // 2, 2)
                self.floats(kv_heads * query, 0.5)
            elif rotated:
                self.name()
                self.put(100.0)
        else:
            self.put(channels, 20, 1)
            self.rms(channels)
            self.linear(channels, 20)
            self.linear(channels, 20)
            self.linear(20, channels)

    def rms(self, channels):
        self.name()
        self.put(channels, 1e-5)
        self.floats(channels, 0.2, 1)

    def net(self, name, stem, blocks, tip, outputs):
        channels, version = 9, self.version
        self.put(name, version, 22, 19)
        if version >= 13:
            self.put(20.0, 18.0, 22.0, 19.0, 40.0, 0.3, 100.0)
        if version >= 15:
            self.put(*[0] * 8)
        self.put("trunk", len(blocks), channels, 7, 6, 5, 5)
        if version >= 15:
            self.put(int(tip is not None), *[0] * 5)
        self.convolution(22, channels, stem)
        self.linear(19, channels)
        for kind in blocks:
            self.block(kind, channels)
        if tip is None:
            self.norm(channels)
        else:
            self.name()
            self.put(channels, 1e-5, tip, 0)
            self.floats(channels, 0.2, 1)
            self.floats(channels, 0.2)
            self.activation()
        self.put("policyhead")
        if version >= 17:
            self.put(outputs, 0, 0, 0)
        self.pooled(channels, 8, 5, (1, 1))
        self.convolution(8, outputs, 1)
        if version >= 15:
            self.linear(15, 8)
            self.bias(8)
            self.activation()
            self.linear(8, outputs)
        else:
            self.linear(15, outputs)
        self.put("valuehead")
        if version >= 17:
            self.put(0, 0, 0)
        self.convolution(channels, 6, 1)
        self.norm(6)
        self.linear(18, 12)
        self.bias(12)
        self.activation()
        self.linear(12, 3)
        self.bias(3)
        scores = 6 if version >= 9 else 4
        self.linear(12, scores)
        self.bias(scores)
        self.convolution(6, 1, 1)
        return "\n".join(self.lines) + "\n"


def main():
    nets = [
        ("katago_tiny_8", 8, ["RELU"], 5, ["ordinary", "gpool"], None, 1),
        ("katago_tiny_9", 9, ["RELU"], 3, ["gpool", "ordinary"], None, 1),
        ("katago_tiny_11", 11, ["MISH", "RELU"], 1, ["gpool", "nested"], None, 1),
        ("katago_tiny_14", 14, ["MISH"], 3, ["nested deep", "gpool", "ordinary"], None, 2),
        ("katago_tiny_16", 16, ["SILU", "MISH", "IDENTITY"], 7, ["attention 4 2 8 5 1 0", "ffn", "nested deep"], 0, 4),
        ("katago_tiny_17", 17, ["SILU", "IDENTITY"], 3, ["attention 3 3 6 17 1 1", "ordinary", "ffn", "attention 2 1 5 16 0 0"], 1, 2),
    ]  # fmt: skip
    for seed, (name, version, kinds, stem, blocks, tip, outputs) in enumerate(nets):
        text = Writer(seed, version, kinds).net(name, stem, blocks, tip, outputs)
        with open(os.path.join(sys.argv[1], name + ".txt.gz"), "wb") as out, gzip.GzipFile("", "wb", 9, out, 0) as compressed:
            compressed.write(text.encode())


if __name__ == "__main__":
    main()
