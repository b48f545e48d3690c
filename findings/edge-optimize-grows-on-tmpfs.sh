#!/usr/bin/env bash
# Guess: on a RAM disk a collection needs what it needs on disk, and compacting it makes it smaller.
# What happens: on tmpfs, `optimize()` of 30 live points makes the folder thirty times larger (1.1 to 34.7 MB): the holes
#   of a sparse file of 32 MB are allocated. On ext4 the same shard shrinks.
# Versions: qdrant-edge-py 0.9.0, Linux.
# Source: Qdrant's guide to the optimizer: vacuum gives back the space of deleted points.
# Why it matters: tests, notebooks and containers put small collections of books into /dev/shm or a tmpfs /tmp, where
#   memory is what is filled; container limits count it.
# Needs beside Python: Linux with a tmpfs (/dev/shm) that has 200 MB free, and the temporary folder on ext4.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
python3 -m venv venv
venv/bin/pip install -qq --disable-pip-version-check qdrant-edge-py==0.9.0
venv/bin/python - <<'PYTHON'
import shutil, subprocess, sys, tempfile
from importlib.metadata import version
from pathlib import Path
from qdrant_edge import Distance, EdgeConfig, EdgeOptimizersConfig, EdgeShard, EdgeVectorParams, Point, UpdateOperation

def kind(folder: str) -> str:
    try:
        return subprocess.run(["stat", "-f", "-c", "%T", folder], capture_output=True, text=True).stdout.strip()
    except OSError:
        return ""

kinds = kind("/dev/shm"), kind(".")
if kinds[0] != "tmpfs" or kinds[1] != "ext2/ext3" or shutil.disk_usage("/dev/shm").free < 200_000_000:
    print("missing: /dev/shm as tmpfs with 200 MB free and a temporary folder on ext4; found:", *kinds)
    sys.exit(77)
print("qdrant-edge-py", version("qdrant-edge-py"))

def size(folder: str) -> int:
    return sum(file.stat().st_blocks * 512 for file in Path(folder).rglob("*") if file.is_file())

def before_and_after(where: str) -> tuple[int, int]:
    with tempfile.TemporaryDirectory(dir=where) as folder:
        shard = EdgeShard.create(f"{folder}/shard", EdgeConfig(
            vectors=EdgeVectorParams(size=16, distance=Distance.Cosine),
            optimizers=EdgeOptimizersConfig(deleted_threshold=0.1, vacuum_min_vector_number=10, default_segment_number=1),
        ))
        shard.update(UpdateOperation.upsert_points([Point(i, [1.0] * 16, {"page": i}) for i in range(60)]))
        shard.update(UpdateOperation.delete_points(list(range(30))))
        shard.flush()
        before = size(folder)
        assert shard.optimize()
        shard.flush()
        after = size(folder)
        assert shard.info().points_count == 30
        shard.close()
        return before, after

memory, disk = before_and_after("/dev/shm"), before_and_after(".")
print("tmpfs: {:,} bytes before, {:,} after".format(*memory))
print("ext4:  {:,} bytes before, {:,} after".format(*disk))
sys.exit(not (memory[0] < 5_000_000 and memory[1] > 32_000_000 and disk[1] <= disk[0] < 1_000_000))
PYTHON
