#!/usr/bin/env python3
"""The nightly build. Runs on Timpani from cron, 30 4 * * *.

--tag TAG      build a tag instead of main
--target T     win, linux (default: both). Switch builds are on Celesta
--no-upload    stop before Steam
--resume       go on after the last step that worked
"""
import argparse
import json
import pathlib
import shutil
import subprocess
import sys
import time

ROOT = pathlib.Path("/srv/nightly")
STATE = ROOT / "state.json"
ACK = ROOT / "ack"
MIN_FREE_GB = 150               # less than that: red at once, do not even start
KEEP_BUILDS = 14
UPLOAD_TRIES = 3
RED_NIGHTS_UNTIL_PHONE = 2


def run(*command, minutes=60):
    return subprocess.run(command, check=True, timeout=minutes * 60)


def free_gb():
    return shutil.disk_usage(ROOT).free / 1e9


def step_pull(args):
    run("git", "fetch", "--tags")
    run("git", "checkout", "--force", args.tag or "origin/main")
    run("git", "lfs", "pull", minutes=90)


def step_build(args):
    for target in ([args.target] if args.target else ["win", "linux"]):
        run("unity", "-batchmode", "-executeMethod", "Build.Nightly", "-t", target, minutes=120)


def step_test(args):
    run("unity", "-batchmode", "-runTests", minutes=45)


def step_upload(args):
    if args.no_upload:
        return
    for attempt in range(1, UPLOAD_TRIES + 1):
        try:
            run("steamcmd", "+run_app_build", str(ROOT / "app_build.vdf"), "+quit", minutes=40)
            return
        except subprocess.CalledProcessError:
            if attempt == UPLOAD_TRIES:
                raise
            time.sleep(90 * attempt)     # Steam is often down on Tuesday nights


STEPS = [("pull", step_pull), ("build", step_build), ("test", step_test), ("upload", step_upload)]


def clean_old_builds():
    builds = sorted((ROOT / "builds").iterdir(), key=lambda p: p.stat().st_mtime)
    for old in builds[:-KEEP_BUILDS]:
        shutil.rmtree(old)


def ring_phone(state):
    if state["red_nights"] >= RED_NIGHTS_UNTIL_PHONE and not ACK.exists():
        run("/srv/nightly/bin/ring", state["on_turn"], minutes=1)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tag")
    parser.add_argument("--target", choices=["win", "linux"])
    parser.add_argument("--no-upload", action="store_true")
    parser.add_argument("--resume", action="store_true")
    args = parser.parse_args()

    state = json.loads(STATE.read_text()) if STATE.exists() else {"red_nights": 0, "done": [], "on_turn": "dusan"}
    if not args.resume:
        state["done"] = []
    if free_gb() < MIN_FREE_GB:
        state["red_nights"] += 1
        STATE.write_text(json.dumps(state))
        ring_phone(state)
        sys.exit(f"only {free_gb():.0f} GB free, need {MIN_FREE_GB}")

    try:
        for name, step in STEPS:
            if name in state["done"]:
                continue
            step(args)
            state["done"].append(name)
            STATE.write_text(json.dumps(state))
    except Exception as e:
        state["red_nights"] += 1
        STATE.write_text(json.dumps(state))
        ring_phone(state)
        sys.exit(f"red at step {name}: {e}")

    state["red_nights"] = 0
    ACK.unlink(missing_ok=True)
    STATE.write_text(json.dumps(state))
    clean_old_builds()


if __name__ == "__main__":
    main()
