"""The library in the browser: read-only pages on 127.0.0.1.

`server` speaks HTTP, `requests` refuses what may not ask, `routes` finds the page and renders it, `pages`
gathers what each page shows, from `books`, and `assets` holds the templates, the style and the script. The
standard library's server is enough: one user on one machine needs threads, not throughput; everything is
answered from memory in one piece; and the checks of host, origin and token are ours whatever the server.
Starlette and uvicorn would add seven packages.
"""
