from __future__ import annotations

import argparse
import json
import sys
import tomllib
from datetime import date
from pathlib import Path

from . import __version__
from .calendar_rules import load_holidays
from .constraints import hard_clashes
from .grid import Grid
from .importers import csv_sheet
from .solver import Infeasible, SolverOptions, solve
from .store import StaleRevision, Store

EXIT_OK = 0
EXIT_USAGE = 2
EXIT_INFEASIBLE = 3
EXIT_STALE = 4
EXIT_PARTIAL = 5


def find_config(start: Path) -> Path | None:
    for folder in [start, *start.parents]:
        cand = folder / "slotwright.toml"
        if cand.exists():
            return cand
        if (folder / ".git").exists():
            return None
    return None


def load_config(path: Path | None) -> dict:
    base = tomllib.loads((Path(__file__).parent / "defaults.toml").read_text())
    if path is None:
        return base
    mine = tomllib.loads(path.read_text())
    for table, values in mine.items():
        if table not in base:
            print(f"warning: unknown table [{table}] in {path}", file=sys.stderr)
            continue
        base[table].update(values)
    return base


def build_parser() -> argparse.ArgumentParser:
    ap = argparse.ArgumentParser(prog="slotwright")
    ap.add_argument("--version", action="version", version=__version__)
    ap.add_argument("-c", "--config", type=Path)
    ap.add_argument("-q", "--quiet", action="store_true")
    sub = ap.add_subparsers(dest="cmd", required=True)

    p = sub.add_parser("solve")
    p.add_argument("sheet", type=Path)
    p.add_argument("--plan", required=True)
    p.add_argument("--from", dest="first", type=date.fromisoformat)
    p.add_argument("--seed", type=int)
    p.add_argument("--time-limit", type=float)
    p.add_argument("--partial", action="store_true", help="keep what fits, exit 5")
    p.add_argument("--dry-run", action="store_true")

    p = sub.add_parser("check")
    p.add_argument("plan")
    p.add_argument("--json", action="store_true")

    p = sub.add_parser("why")
    p.add_argument("plan")
    p.add_argument("session")

    p = sub.add_parser("ical")
    p.add_argument("plan")
    p.add_argument("--person")
    p.add_argument("-o", "--out", type=Path)

    p = sub.add_parser("prune")
    p.add_argument("--keep-days", type=int)

    p = sub.add_parser("doctor", help="look for the usual trouble")
    p.add_argument("--fix", action="store_true")
    return ap


def cmd_solve(args, cfg) -> int:
    rep = csv_sheet.read(args.sheet.read_bytes(), cfg["import"]["max_rows"])
    for line in rep.problems:
        print("!", line, file=sys.stderr)
    if not rep.sessions:
        return EXIT_USAGE
    grid = Grid(args.first or date.today(), cfg["grid"]["horizon_days"], cfg["grid"]["step"])
    if cfg["grid"]["holidays"]:
        grid.holidays = load_holidays(cfg["grid"]["holidays"])
    opt = SolverOptions(
        time_limit=args.time_limit or cfg["solver"]["time_limit"],
        seed=cfg["solver"]["seed"] if args.seed is None else args.seed,
        partial=args.partial,
    )
    from .profile import rules_from_config
    rooms, hard, soft = rules_from_config(cfg)
    try:
        got = solve(rep.sessions, rooms, grid, hard, soft, opt)
    except Infeasible as e:
        for s in e.left[:20]:
            print("no place:", s.key, file=sys.stderr)
        return EXIT_INFEASIBLE
    if not args.quiet:
        print(f"cost {got.cost:.1f} after {got.rounds} rounds ({got.stopped_by})")
    if args.dry_run:
        return EXIT_OK
    store = Store()
    store.snapshot(args.plan, "before solve")
    try:
        store.save(args.plan, got.plan)
    except StaleRevision as e:
        print(e, file=sys.stderr)
        return EXIT_STALE
    missing = len(rep.sessions) - len(got.plan.placements)
    return EXIT_PARTIAL if missing else EXIT_OK


def cmd_check(args, cfg) -> int:
    from .profile import rules_from_config
    _, hard, _ = rules_from_config(cfg)
    clashes = hard_clashes(Store(readonly=True).load(args.plan), hard)
    if args.json:
        print(json.dumps([c.__dict__ for c in clashes]))
    else:
        for c in clashes:
            print(f"{c.rule:16} {' / '.join(c.keys)} {c.note}")
    return 1 if clashes else 0


def cmd_doctor(args, cfg) -> int:
    from .doctor import findings
    bad = 0
    for f in findings(cfg):
        print(("fixed " if args.fix and f.fix() else "found ") + f.text)
        bad += 1
    return 1 if bad else 0


def main(argv: list[str] | None = None) -> int:
    args = build_parser().parse_args(argv)
    cfg = load_config(args.config or find_config(Path.cwd()))
    handler = globals().get(f"cmd_{args.cmd}")
    if handler is None:
        from . import more_commands
        handler = getattr(more_commands, f"cmd_{args.cmd}")
    return handler(args, cfg)


if __name__ == "__main__":
    sys.exit(main())
