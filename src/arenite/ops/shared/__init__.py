"""What families of operators share; no operators."""
