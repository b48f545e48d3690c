#!/usr/bin/env bash
# Guess: after a kill in the middle of `optimize()`, the next load or the next `optimize()` clears away the half-written
#   copy, as the write-ahead log is cleared.
# What happens: the folder `temp_segments` keeps it for good, through loads and through an `optimize()` that succeeds.
#   Each kill adds one more. No point is lost.
# Versions: qdrant-edge-py 0.9.0.
# Source: the docstring of `optimize()` speaks of planned optimizations that run until none is left; Qdrant's guide to
#   storage says that data survive an abnormal end by the write-ahead log.
# Why it matters: compacting a large library takes minutes, and what takes minutes is interrupted (a laptop's lid, a
#   container's memory limit). Up to a whole copy of the vectors is then lost as disk space each time.
# Needs beside Python: a POSIX system (it kills its own child process).
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -qq --disable-pip-version-check qdrant-edge-py==0.9.0
venv/bin/python - <<'PYTHON'
import os, random, subprocess, sys, time
from importlib.metadata import version
from pathlib import Path
from qdrant_edge import Distance, EdgeConfig, EdgeOptimizersConfig, EdgeShard, EdgeVectorParams, Point, UpdateOperation

if os.name != "posix":
    print("missing: a POSIX system")
    sys.exit(77)
print("qdrant-edge-py", version("qdrant-edge-py"))
random.seed(1851)
config = EdgeConfig(
    vectors=EdgeVectorParams(size=128, distance=Distance.Dot),
    optimizers=EdgeOptimizersConfig(indexing_threshold=100, default_segment_number=1),
)
shard = EdgeShard.create("shard", config)
for first in range(0, 20_000, 1_000):
    shard.update(UpdateOperation.upsert_points([
        Point(first + i, [random.random() for _ in range(128)], {"page": i}) for i in range(1_000)
    ]))
shard.flush()
shard.close()

left = Path("shard/temp_segments")

def size() -> int:
    return sum(file.stat().st_blocks * 512 for file in left.rglob("*") if file.is_file())

OPTIMIZE = "import qdrant_edge; shard = qdrant_edge.EdgeShard.load('shard'); print(1, flush=True); shard.optimize()"
child = subprocess.Popen([sys.executable, "-c", OPTIMIZE], stdout=subprocess.PIPE)
child.stdout.readline()
end = time.monotonic() + 60
while child.poll() is None and time.monotonic() < end and not (left.exists() and size() > 1_000_000):
    time.sleep(0.001)
child.kill()
child.wait()
after_kill = sorted(os.listdir(left)), size()
print("after the kill:", *after_kill, "bytes")
shard = EdgeShard.load("shard")
after_load = sorted(os.listdir(left)), size()
print("after load:", *after_load, "bytes;", shard.info().points_count, "points")
optimized = shard.optimize()
shard.flush()
points = shard.info().points_count
shard.close()
after_optimize = sorted(os.listdir(left)), size()
print("after an optimize that returned", optimized, "-", *after_optimize, "bytes")
same = after_kill == after_load == after_optimize
sys.exit(not (same and optimized and points == 20_000 and len(after_kill[0]) == 1 and after_kill[1] > 1_000_000))
PYTHON
