#!/bin/sh
# A Ray cluster of three machines that share /shelf. Untested: only one machine was available, on which `--ray local`
# was tested. Every machine needs the same versions of Python, Ray and Alexandria:
#   pip install 'alexandria-books[ray]'
set -eu

HEAD=10.0.0.1                # its ports must be reachable from the other machines, and from nowhere else
WORKERS="10.0.0.2 10.0.0.3"

ssh "$HEAD" ray start --head --port=6379 --disable-usage-stats
for worker in $WORKERS; do
    ssh "$worker" ray start --address="$HEAD:6379" --disable-usage-stats
done

# Runs on the head, because --ray connects to the node it runs on. The workers write to the server directly.
ssh "$HEAD" alexandria ingest /shelf --ray "$HEAD:6379" --store http://10.0.0.9:6333 --shards 6 --replicas 2 \
    --api-key-file /etc/alexandria/key
