"""What keeps a library well: `health` examines it, `repair` and `mending` restore what is damaged.

`models` installs and examines models, `calibration` fits what *strong* means, and `reembedding` gives a
library another model.
"""
