"""The files next to a library, and addresses of one place that are written differently."""

from alexandria.library.location import failures_path, progress_path, restoring_path, same_place

SAME_SERVER = [
    ("http://h:6333", "http://h:6333/"),
    ("http://h", "http://h:6333"),
    ("https://h/", "https://h:6333"),
    ("grpc://h", "grpc://h:6334"),
    ("http://Books.Example:80/q/", "http://books.example:80/q"),
    ("http://[::1]", "http://[::1]:6333/"),
]


def test_a_server_is_the_same_however_its_address_is_written() -> None:
    for address, other in SAME_SERVER:
        assert same_place((address, "books"), (other, "books"))
        for path in (failures_path, progress_path, restoring_path):
            assert path(address, "books") == path(other, "books")


def test_other_servers_are_not() -> None:
    cases = [
        ("http://h", "https://h"),
        ("http://h:6333", "http://h:6334"),
        ("http://h/a", "http://h/b"),
        ("http://h/a", "http://h/A"),
        ("http://h:port", "http://h"),
    ]
    for address, other in cases:
        assert not same_place((address, "books"), (other, "books"))
        assert failures_path(address, "books") != failures_path(other, "books")
