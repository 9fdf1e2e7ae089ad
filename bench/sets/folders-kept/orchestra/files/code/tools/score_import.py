"""Reads MusicXML and writes our own .score files.

Usage: score_import.py IN.musicxml OUT.score [--title TITLE]

Only public-domain scores, see decisions/parked.md. The importer is strict: it is
better to reject a file than to play something wrong for nine hours.
"""
import argparse
import json
import sys
import xml.etree.ElementTree as ET
from fractions import Fraction

MAX_PARTS = 24
SUPPORTED_TIME = {(2, 4), (3, 4), (4, 4), (2, 2), (3, 8), (6, 8), (9, 8), (12, 8)}


class ScoreError(Exception):
    pass


def read_parts(root):
    parts = root.findall("part")
    if not parts:
        raise ScoreError("no parts")
    if len(parts) > MAX_PARTS:
        raise ScoreError(f"{len(parts)} parts, at most {MAX_PARTS}")
    return parts


def read_note(note, divisions):
    """-> (length as a Fraction of a quarter, pitch or None)"""
    duration = int(note.findtext("duration", "0"))
    length = Fraction(duration, divisions)
    if note.find("rest") is not None:
        return length, None
    pitch = note.find("pitch")
    if pitch is None:               # unpitched percussion
        return length, "x"
    step = pitch.findtext("step")
    alter = int(pitch.findtext("alter", "0"))
    octave = pitch.findtext("octave")
    return length, step + "#" * max(alter, 0) + "b" * max(-alter, 0) + octave


def read_measures(part):
    # divisions may change in the middle of a piece (and in Finale exports it does)
    divisions = None
    time = (4, 4)
    for measure in part.findall("measure"):
        attributes = measure.find("attributes")
        if attributes is not None:
            if attributes.findtext("divisions"):
                divisions = int(attributes.findtext("divisions"))
            if attributes.find("time") is not None:
                time = (int(attributes.findtext("time/beats")),
                        int(attributes.findtext("time/beat-type")))
                if time not in SUPPORTED_TIME:
                    raise ScoreError(f"time signature {time[0]}/{time[1]} is not supported")
        if divisions is None:
            raise ScoreError("first measure has no divisions")

        if measure.find("barline/ending") is not None:
            # voltas: first and second ending. Write the repeat out by hand.
            raise ScoreError(f"measure {measure.get('number')}: endings are not supported")

        notes = []
        for note in measure.findall("note"):
            if note.find("grace") is not None:
                continue            # grace notes are decoration here
            if note.find("chord") is not None:
                continue            # upper note of a double stop, we keep the lower
            notes.append(read_note(note, divisions))
        yield int(measure.get("number") or 0), time, notes


def check_length(number, time, notes):
    total = sum((length for length, _ in notes), Fraction(0))
    expected = Fraction(time[0] * 4, time[1])
    # an upbeat is allowed to be short
    if number > 1 and total != expected:
        raise ScoreError(f"measure {number}: {total} quarters instead of {expected}")


def convert(path, title=None):
    root = ET.parse(path).getroot()
    out = {"title": title or root.findtext("work/work-title") or "untitled", "parts": []}
    for part in read_parts(root):
        measures = []
        for number, time, notes in read_measures(part):
            check_length(number, time, notes)
            measures.append([[str(length), pitch] for length, pitch in notes])
        out["parts"].append({"id": part.get("id"), "measures": measures})
    return out


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument("--title")
    args = parser.parse_args()
    try:
        score = convert(args.source, args.title)
    except ScoreError as e:
        sys.exit(f"rejected: {e}")
    with open(args.target, "w", encoding="utf-8") as f:
        json.dump(score, f)


if __name__ == "__main__":
    main()
