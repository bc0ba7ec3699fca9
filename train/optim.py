"""The optimizers of a net: Muon for 3x3 convolutions, AdamW for the other weights.

Muon (K. Jordan, "Muon: An optimizer for hidden layers in neural networks", 2024) takes matrices: here one row for each
output channel. Its updates are scaled to the RMS of AdamW's, so that both use the same learning rate.
"""
import torch


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
