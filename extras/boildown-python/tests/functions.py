"""Tests of candidates that other processes import."""

import os
import time


def has_7_and_11(numbers):
    return 7 in numbers and 11 in numbers


def dies_without_7(numbers):
    if 7 not in numbers:
        os.abort()
    return True


def hangs_without_7(numbers):
    while 7 not in numbers:
        time.sleep(0.01)
    return True


def raises_without_7(numbers):
    if 7 not in numbers:
        raise LookupError("no 7")
    return True


def returns_a_lambda(numbers):
    return len(numbers) == 20 or (lambda: numbers)
