"""A child that ends with a code before it is done, or behind its verdict."""

import atexit
import os


def main(arguments):
    if arguments[1:] == ["atexit"]:
        atexit.register(os._exit, int(arguments[0]))
    elif arguments:
        os._exit(int(arguments[0]))
    return 7
