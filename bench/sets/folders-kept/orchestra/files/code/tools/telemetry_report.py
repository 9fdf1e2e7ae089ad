"""Weekly telemetry report from the playtest server.

Opt-in only. No names, no mail addresses; an install has a random id that is
renewed every 30 days. Raw events are deleted after 180 days.
"""
import argparse
import csv
import statistics
from collections import Counter, defaultdict
from datetime import datetime

MIN_SESSION_MINUTES = 4         # below that somebody only looked at the menu
OFFICE_IDS = {"shed-01", "shed-02", "shed-03", "shed-04", "shed-05", "shed-06"}


def load(path):
    with open(path, newline="", encoding="utf-8") as f:
        for row in csv.DictReader(f):
            if row["install"] in OFFICE_IDS:
                continue
            row["at"] = datetime.fromisoformat(row["at"])
            yield row


def sessions(rows):
    """A session ends after 20 minutes without any event."""
    by_install = defaultdict(list)
    for row in rows:
        by_install[(row["install"], row["seat"])].append(row)
    for key, events in by_install.items():
        events.sort(key=lambda e: e["at"])
        current = [events[0]]
        for event in events[1:]:
            if (event["at"] - current[-1]["at"]).total_seconds() > 20 * 60:
                yield key, current
                current = []
            current.append(event)
        yield key, current


def minutes(events):
    return (events[-1]["at"] - events[0]["at"]).total_seconds() / 60


def report(path):
    lengths = []
    last_week = {}
    grades = Counter()
    for key, events in sessions(load(path)):
        length = minutes(events)
        if length < MIN_SESSION_MINUTES:
            continue
        lengths.append(length)
        for event in events:
            if event["name"] == "week_started":
                last_week[key] = max(int(event["value"]), last_week.get(key, 0))
            if event["name"] == "bow":
                grades[event["value"]] += 1

    print(f"sessions: {len(lengths)}")
    if lengths:
        print(f"median minutes: {statistics.median(lengths):.0f}")
    print("players whose last week was:")
    for week, n in sorted(Counter(last_week.values()).items()):
        print(f"  {week:2d}  {'#' * n}")
    total = sum(grades.values()) or 1
    for grade, n in grades.most_common():
        print(f"  {grade:8s} {100 * n / total:.1f} %")


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("csv")
    report(parser.parse_args().csv)
