"""An untrusted file becomes a `Book` in an isolated process, within limits; the book is then cached.

`process` starts the reader, `worker` runs in it, `answers` unpickles what it sends, `limits` is what a file
may cost, `cache` holds the books, and `ahead` reads the next files while the caller works on one.
"""
