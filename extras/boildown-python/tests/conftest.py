"""Fixtures of the tests of the module."""

pytest_plugins = ["pytester"]
