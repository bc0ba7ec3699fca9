"""The checkpoint state.pt of a training, with the program that wrote it."""
import torch

from files import one_line_errors, refuse, write_atomically


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
    if program not in programs:
        refuse(f"{path}: a checkpoint of {' or '.join(programs)}, expected one of {program}")
    return state
