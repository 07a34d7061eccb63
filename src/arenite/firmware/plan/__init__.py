"""A firmware before it is text: layers, how each is done, where everything lies."""
