"""Files as inputs of models: arrays, pictures and sounds become values of a tensor."""
