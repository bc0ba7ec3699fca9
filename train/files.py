"""Writing of files, errors that end a program with one line, and types of options."""
import argparse
import contextlib
import os
import sys


def write_atomically(path, write):
    """Writes a file whole or not at all: `write` gets the open temporary file, which is renamed at the end."""
    with open(path + ".tmp", "wb") as file:
        write(file)
    os.replace(path + ".tmp", path)


def make_folder(path):
    """Creates a folder unless it exists; ends the program with one line if that is impossible."""
    with one_line_errors(path):
        os.makedirs(path, exist_ok=True)


def refuse(text):
    """Ends the program with a line on stderr, which begins with the program's name."""
    raise SystemExit(f"{os.path.basename(sys.argv[0])}: {text}")


@contextlib.contextmanager
def one_line_errors(name, expected=None):
    """Ends the program with one line if something fails with a file or another argument. The line has its name.
    `expected` describes the contents that a file should have."""
    try:
        yield
    except Exception as error:
        if isinstance(error, OSError) and error.strerror:
            refuse(f"{name}: {error.strerror}")
        if expected:
            refuse(f"{name}: expected {expected}")
        kind = "" if isinstance(error, (OSError, ValueError)) else f"{type(error).__name__}: "
        text = str(error).strip().partition("\n")[0].removesuffix(f": {name}")
        refuse(f"{name}: {kind}{text}")


def at_least(minimum):
    """The type of an option: a whole number of at least `minimum`."""

    def read(text):
        if not text.isdecimal() or int(text) < minimum:
            raise argparse.ArgumentTypeError(f"expected a whole number of at least {minimum}, found {text}")
        return int(text)

    return read


natural, positive = at_least(0), at_least(1)


def fraction(text):
    """The type of an option: a number from 0 to 1."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number <= 1:
        raise argparse.ArgumentTypeError(f"expected a number from 0 to 1, found {text}")
    return number
