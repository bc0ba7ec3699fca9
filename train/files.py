"""Writing of files, and errors that end a program with one line."""
import contextlib
import os
import sys


def write_atomically(path, write):
    """Writes a file whole or not at all: `write` gets the open temporary file, which is renamed at the end."""
    with open(path + ".tmp", "wb") as file:
        write(file)
    os.replace(path + ".tmp", path)


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
