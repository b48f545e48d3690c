"""A library for language models: the Model Context Protocol, by hand.

`protocol` answers messages, `tools` declares and runs the tools, `paging` divides long answers and frames
what comes from books, and `stdio` carries the messages. Importing the official SDK takes half a
second, and it brings 45 MB; a server of a few read-only tools needs only the few hundred lines here. They are
tested with the official client.

Nothing heavy is imported before `initialize` has been answered; then the library opens, and its model loads.
"""
