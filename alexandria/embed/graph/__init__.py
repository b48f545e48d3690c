"""A model as OpenVINO computes it.

`blueprint` reads what a model is, `build` writes its layers as a graph (`bert`) or `convert` has torch do it,
`folder` keeps the graph in the cache, `prepare` finds it there or has it made, and `measure` chooses the
number format that is fast on this processor.
"""
