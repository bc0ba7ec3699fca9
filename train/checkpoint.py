"""The checkpoint state.pt of a training, with the program that wrote it."""
import torch

from files import one_line_errors, refuse, write_atomically


# layers as early versions named them, and their present names
RENAMED = {"mix": "pool_to_bias", "policy_mix": "policy_pool_to_bias", "stem_scalars": "stem_globals"}


def write(path, program, state):
    """Writes a checkpoint atomically."""
    write_atomically(path, lambda file: torch.save({"kind": program, **state}, file))


def read(path, program, device="cpu"):
    """The checkpoint in a file, which `program` wrote."""
    with one_line_errors(path, "a checkpoint, the state.pt of a run"):
        state = torch.load(path, map_location=device, weights_only=True)
        if "net" not in state:
            raise ValueError("another file that PyTorch reads")
        # the files of early versions name no program; of their programs, only train.py wrote settings
        early = ["train.py"] if "settings" in state else ["distill.py", "ends.py"]
        programs = [state["kind"]] if "kind" in state else early
        state = with_present_names(state)
    if program not in programs:
        refuse(f"{path}: a checkpoint of {' or '.join(programs)}, expected one of {program}")
    return state


def with_present_names(state):
    """A checkpoint, of an early version or not, with the present names of the EMA, its decay, and the weights."""
    present = lambda name: ".".join(RENAMED.get(part, part) for part in name.split("."))
    state = {"ema" if name == "mean" else name: part for name, part in state.items()}
    for part in {"net", "ema"} & state.keys():
        state[part] = {present(name): weight for name, weight in state[part].items()}
    if "mean" in (settings := state.get("settings", {})):
        state["settings"] = {"ema_decay" if name == "mean" else name: value for name, value in settings.items()}
    return state
