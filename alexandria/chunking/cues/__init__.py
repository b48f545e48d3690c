"""What a reader sees at a gap: `find` looks for the signs, `words` and `surroundings` say what counts as one.

`notes` has what is said of each sign.
"""
