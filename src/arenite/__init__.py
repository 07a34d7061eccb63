"""TensorFlow Lite Micro in Python: the device's bits, its arena, the reason for every byte."""
