"""References: `citations` says where a passage stands, `bibliography` writes what programs read.

`styles` has the six styles, and `csl` any other one.
"""
