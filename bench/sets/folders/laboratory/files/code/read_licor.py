"""Read LI-6800 text exports: header of variable length, units in the row below the names."""
from pathlib import Path

import pandas as pd

GECKO_OFFSET_PPM = 0.0  # was 2.3 until the service in May 2026


def read_licor(path: Path) -> pd.DataFrame:
    lines = path.read_text(encoding="latin-1").splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("[Data]"))
    names = lines[start + 2].split("\t")
    rows = [line.split("\t") for line in lines[start + 4 :] if line.strip()]
    table = pd.DataFrame(rows, columns=names)
    return table.apply(pd.to_numeric, errors="ignore")


def drop_unstable(table: pd.DataFrame, limit: float = 0.05) -> pd.DataFrame:
    """Keeps rows whose coefficient of variation of A over 15 s is below the limit."""
    return table[table["A_cv"] < limit]
