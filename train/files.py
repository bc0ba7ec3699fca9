"""Writing of files."""
import os


def write_atomically(path, write):
    """Writes a file whole or not at all: `write` gets the open temporary file, which is renamed at the end."""
    with open(path + ".tmp", "wb") as file:
        write(file)
    os.replace(path + ".tmp", path)
