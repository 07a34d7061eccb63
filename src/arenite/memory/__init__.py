"""The tensor arena: allocators, planners, and the sizes of what lies in it."""
