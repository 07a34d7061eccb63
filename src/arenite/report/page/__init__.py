"""A model's report as one page of HTML that needs no network; draws facts of ``analysis``."""
