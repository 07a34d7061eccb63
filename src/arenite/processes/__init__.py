"""Every child process of the project: how it is started, how it ends, where it finds its modules.

A child is Python that runs a module of Arenite's, or a program such as a compiler. None of them
imports a module, or starts a program, that lies in the user's current folder. The standard input
of each is a pipe whose other end its driver alone has: where the driver is gone, however it
ended, the child reads that end and goes too. Ctrl-C is the driver's: children do not hear it.
"""
