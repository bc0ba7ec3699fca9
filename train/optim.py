"""The optimizers of a net: Muon for 3x3 convolutions, AdamW for the other weights.

Muon (K. Jordan, "Muon: An optimizer for hidden layers in neural networks", 2024) takes matrices: here one row for each
output channel. Its updates are scaled to the RMS of AdamW's, so that both use the same learning rate.
"""
import torch


def split_weights(net):
    """The weights of the convolutions of the blocks, and all others."""
    convolutions = [weight for block in net.blocks for weight in block.parameters() if weight.dim() == 4]
    ids = set(map(id, convolutions))
    return convolutions, [weight for weight in net.parameters() if id(weight) not in ids]


def ema_rate(decay, step):
    """The share of the new weights in their exponential moving average (EMA) after a step; greater in the first steps."""
    return max(1 - decay, 10 / (step + 10))


def muon_and_adamw(convolutions, others, weight_decay, **adamw_options):
    """Muon for the weights of convolutions, and AdamW for other weights, or for groups of them with options of their own."""
    # views of the weights as matrices: view() fails where a copy would be needed
    matrices = [weight.detach().permute(0, 2, 3, 1).view(len(weight), -1) for weight in convolutions]
    muon = torch.optim.Muon(matrices, weight_decay=weight_decay, adjust_lr_fn="match_rms_adamw")
    return muon, torch.optim.AdamW(others, weight_decay=weight_decay, **adamw_options)


def set_matrix_gradients(muon, convolutions):
    """Gives Muon's matrices the gradients of the convolutions whose weights they are."""
    for matrix, weight in zip(muon.param_groups[0]["params"], convolutions):
        matrix.grad = weight.grad.permute(0, 2, 3, 1).flatten(1)


class StackedMuon:
    """Muon for convolutions of one shape, all at once, without synchronization: for CUDA graphs. `rate` is a tensor."""

    MOMENTUM, STEPS, COEFFICIENTS = 0.95, 5, (3.4445, -4.7750, 2.0315)  # torch.optim.Muon's

    def __init__(self, convolutions, rate, weight_decay):
        self.convolutions, self.rate, self.weight_decay = convolutions, rate, weight_decay
        outputs, inputs, height, width = self.shape = convolutions[0].shape
        columns = inputs * height * width
        self.momentum = torch.zeros(len(convolutions), outputs, columns, device=rate.device)
        self.scale = 0.2 * max(outputs, columns) ** 0.5  # match_rms_adamw

    def reset(self):
        self.momentum.zero_()

    @torch.no_grad()
    def step(self):
        outputs, inputs, height, width = self.shape
        gradients = torch.stack([weight.grad.permute(0, 2, 3, 1).flatten(1) for weight in self.convolutions])
        self.momentum.lerp_(gradients, 1 - self.MOMENTUM)
        updates = self.orthogonal(gradients.lerp(self.momentum, self.MOMENTUM)).float()
        for weight, update in zip(self.convolutions, updates):
            update = update.view(outputs, height, width, inputs).permute(0, 3, 1, 2)
            weight.mul_(1 - self.rate * self.weight_decay).sub_(self.rate * self.scale * update)

    def orthogonal(self, matrices):
        """Newton-Schulz iterations towards the nearest matrices with singular values of 1."""
        x = matrices.bfloat16()
        x = x / (x.norm(dim=(1, 2), keepdim=True) + 1e-7)
        a, b, c = self.COEFFICIENTS
        for _ in range(self.STEPS):
            gram = x @ x.mT
            x = a * x + (b * gram + c * gram @ gram) @ x
        return x
