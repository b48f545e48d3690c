"""What happens to a tree that does not fit into the memory."""

import subprocess
import sys

import pytest

_RUN_SHORT_OF_MEMORY = """
import resource, sys
from pathlib import Path
from alexandria.extract.markup.tree import named_elements, parse_html, parse_xml

markup = "<p id='a'>" + "<i id='b'>Salt</i>" * 500_000 + "</p>"
data = markup.encode()
root = parse_xml(data) if "root" in sys.argv[1] else None
n_bytes = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
limit = n_bytes + (int(sys.argv[2]) << 20)
resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
try:
    print(eval(sys.argv[1]))
except MemoryError:
    print("out of memory")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="nothing else limits the memory of a process")
@pytest.mark.parametrize(
    ("code", "spare_mib"),
    [
        pytest.param("parse_xml(data)", 40, id="strict"),
        pytest.param("parse_xml(data, recover=True)", 40, id="repaired"),
        pytest.param("parse_html(markup)", 40, id="html"),
        pytest.param("named_elements(root)", 1, id="query"),
    ],
)
def test_a_lack_of_memory_is_no_damage(code: str, spare_mib: int) -> None:
    """In a process of its own, which lowers its limit."""
    command = [sys.executable, "-c", _RUN_SHORT_OF_MEMORY, code, str(spare_mib)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "out of memory"
