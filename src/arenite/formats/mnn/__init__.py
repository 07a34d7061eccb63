"""MNN files (``.mnn``) to :class:`Model`."""
