#!/bin/sh
# A Ray cluster of three machines that share /shelf. Untested here: only one machine was at hand, and there
# `--ray local` was. Every machine needs the same version of Python, of Ray and of Alexandria:
#   pip install 'alexandria-books[ray]'
set -eu

HEAD=10.0.0.1                # its ports must be reachable from the others, and from nobody else
WORKERS="10.0.0.2 10.0.0.3"

ssh "$HEAD" ray start --head --port=6379 --disable-usage-stats
for worker in $WORKERS; do
    ssh "$worker" ray start --address="$HEAD:6379" --disable-usage-stats
done

# On the head: --ray connects to the node it runs on. Workers write to the server by themselves.
ssh "$HEAD" alexandria ingest /shelf --ray "$HEAD:6379" --store http://10.0.0.9:6333 --shards 6 --replicas 2 \
    --api-key-file /etc/alexandria/key
