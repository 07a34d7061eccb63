"""Facts about models, memory and costs, as plain data."""
