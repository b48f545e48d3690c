"""Reads untrusted files into books in an isolated process, within limits, and caches the books.

`process` starts the worker and asks it to read, `worker` runs in it, `requests` and `answers` are what the
two exchange, `limits` says what a file may cost, `recognition` has scanned pages recognised, `cache` holds
the books, and `ahead` reads the next files while the caller works on one.
"""
