"""What U85's commands and weights have of their own."""
