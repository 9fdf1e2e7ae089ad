import pandas as pd

# Response factors relative to 19:0, from the May 2026 calibration
FACTORS = {"i15:0": 1.02, "a15:0": 1.01, "16:1w5": 0.94, "18:2w6,9": 0.89, "10Me16:0": 1.07}


def nmol_per_g(area: float, area_std: float, marker: str, soil_g: float) -> float:
    """50 ul of 0.2 mg/ml 19:0 methyl ester is 32.0 nmol."""
    return area / area_std * 32.0 / FACTORS[marker] / soil_g


def mole_percent(table: pd.DataFrame) -> pd.DataFrame:
    total = table.groupby("sample")["nmol"].transform("sum")
    return table.assign(molpct=100 * table["nmol"] / total)
