"""Asteria is not part of this release: the package only holds the name, and registers no game."""
