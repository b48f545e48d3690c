"""Kills the commands that write a library at random moments (SIGKILL), and checks what is left.

    python -m tools.trust.kills --runs 500            over both kinds of folder and all operations

Two processes read meanwhile, and must see whole books only; with `--readers 0`, nobody opens what the kill
left before it is checked. Afterwards `verify` must find nothing wrong, the library must open, every book of a
finished step must be there, each book whole, nothing else after the sweep, and the same command must leave
the same points as without the kill.
"""

import argparse
import shutil
import sys
import traceback

from tests.store.crash import end_fork, in_fork, read_until, start_fork
from tools.trust.campaign import Campaign, run_command
from tools.trust.operations import OPERATIONS, PREFIXES


def kill(campaign: Campaign, seconds: float, n_readers: int) -> bool:
    """Kill the operation once; return whether it was killed before it finished.

    Args:
        campaign: the operation.
        seconds: that it takes undisturbed.
        n_readers: processes that read meanwhile.

    Raises:
        RuntimeError, AssertionError: something was wrong afterwards, or for a reader.
    """
    library, stop = campaign.scratch / "library", campaign.scratch / "stop"
    shutil.rmtree(library, ignore_errors=True)
    campaign.shelf.prepare(campaign.operation, campaign.kind, library)
    stop.unlink(missing_ok=True)
    address = campaign.address(library)
    readers = [start_fork(lambda: read_until(stop, address)) for _ in range(n_readers)]
    # Longer than undisturbed: the readers slow the operation down.
    moment = campaign.rng.random() * 1.5 * seconds
    finished = in_fork(lambda: campaign.work(library), kill_after=moment)
    stop.touch()
    for reader in readers:
        end_fork(reader)
    verify(campaign, address)
    campaign.check(library)
    return not finished


def verify(campaign: Campaign, address: str) -> None:
    """Raise AssertionError if `verify` finds a flaw: a kill damages nothing, it only leaves work."""
    output = campaign.scratch / "output"
    code = run_command(["verify", "--store", address], campaign.scratch / "cache", output)
    printed = output.read_text()
    # The process may have been killed before there was a library.
    is_new = "nothing has been ingested" in printed and not campaign.operation.begins_with_books
    if code and not is_new:
        raise AssertionError(f"verify ends with {code}: {printed}")


def kill_often(kind: str, name: str, n_runs: int, *, n_readers: int, seed: int) -> tuple[int, int]:
    """Kill the operation `n_runs` times; return how often before its end, and how often with a fault."""
    with Campaign.prepared(kind, name, seed=seed) as campaign:
        seconds = campaign.rehearse()
        n_killed = n_wrong = 0
        for number in range(n_runs):
            try:
                n_killed += kill(campaign, seconds, n_readers)
            except (RuntimeError, AssertionError):
                n_wrong += 1
                print(f"{kind} {name}: wrong after run {number}", file=sys.stderr)
                traceback.print_exc(limit=1)
        return n_killed, n_wrong


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--runs", type=int, default=500, help="over all kinds and operations")
    parser.add_argument("--kind", choices=PREFIXES, action="append")
    parser.add_argument("--operation", choices=OPERATIONS, action="append")
    parser.add_argument("--readers", type=int, default=2, help="processes that read meanwhile")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    campaigns = [(kind, name) for kind in chosen.kind or PREFIXES for name in chosen.operation or OPERATIONS]
    n_runs = -(-chosen.runs // len(campaigns))
    total = 0
    for kind, name in campaigns:
        n_killed, n_wrong = kill_often(kind, name, n_runs, n_readers=chosen.readers, seed=chosen.seed)
        print(
            f"{kind:>6} {name:<8} {n_runs} runs, {n_killed} killed before the end, {n_wrong} wrong",
            flush=True,
        )
        total += n_wrong
    sys.exit(total > 0)


if __name__ == "__main__":
    main()
