"""The TFLM, library and build that a firmware's arena numbers come from.

``log.py`` reads what a firmware printed, ``builds.py`` knows what there may be, ``numbers.py``
says what each of these would print, ``explained.py`` compares, ranks and says what to print
besides.
"""
