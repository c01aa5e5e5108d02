"""Slow, readable implementations of the games, written from the rule clauses alone, to test the kernels against."""
