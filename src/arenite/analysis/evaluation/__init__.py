"""A model on data: samples read in chunks, engines asked, metrics of what they say."""
