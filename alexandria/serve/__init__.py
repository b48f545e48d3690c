"""The library in the browser: pages on 127.0.0.1 that only read.

`requests` checks who asks, `routes` finds the answer, `pages` gathers what each page shows, `assets` holds
the templates, the style and the script, and `server` speaks HTTP. The standard library's server is used: one
user on one machine needs threads, not throughput; everything is answered from memory in one piece; and the
checks of host, origin and token are ours whatever the server. Starlette and uvicorn would add seven packages.
"""
