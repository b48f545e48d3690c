"""`python -m alexandria` is `alexandria`."""

from alexandria.cli import main

if __name__ == "__main__":
    main()
