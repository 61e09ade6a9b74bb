"""Compiled loops on bare arrays.

A kernel knows no domain type. Each comes as a trio: the friendly function that
validates and names, the kernel here, and the slow twin in ``tests/oracles.py``.
Friendly functions import their kernel when called, so that ``import seriatim``
does not load the compiler.
"""
