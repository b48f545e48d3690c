"""Which models there are: `packaged` ones come as wheels, `install` fetches them, `locate` finds a folder."""
