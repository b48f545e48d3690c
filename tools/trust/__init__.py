"""Campaigns that attack a library; `python -m tools.trust.power --help`, from the root of the repository.

They take minutes and need root for file systems of their own, so they are not part of the test suite.
"""
