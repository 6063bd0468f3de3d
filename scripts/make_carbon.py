#!/usr/bin/env python3
"""Writes data/carbon/grid.csv from the Green Software Foundation's cloud region table and Google's region table.

    scripts/make_carbon.py FOLDER >data/carbon/grid.csv

FOLDER holds gsf_cloud_region_metadata.csv and gcp_region_carbon_YEAR.csv. For each region the newest year that has a location-based
annual figure is taken (grams of CO2e per kWh consumed); the power usage effectiveness is the newest one told for the region. A region
without a grid figure is left out: unknown is not 0. Market-based figures (certificates) are not used.
"""
import csv
import pathlib
import re
import sys

PROVIDERS = {"Amazon Web Services": "aws", "Microsoft Azure": "azure", "Google Cloud": "gcp"}
GRID = ("grid-carbon-intensity-average-consumption-annual", "grid-carbon-intensity")


def number(text):
    try:
        value = float(text)
    except ValueError:
        return None
    return value if value >= 0 else None


def main():
    folder = pathlib.Path(sys.argv[1])
    grid, overhead = {}, {}
    with open(folder / "gsf_cloud_region_metadata.csv", encoding="utf-8-sig", newline="") as file:
        for row in csv.DictReader(file):
            key = (PROVIDERS[row["cloud-provider"]], row["cloud-region"].strip())
            year = int(row["year"])
            for column in GRID:
                value = number(row[column])
                if value and (key not in grid or grid[key][1] < year):
                    grid[key] = (value, year, "gsf")
            value = number(row["power-usage-effectiveness"])
            if value and value >= 1 and (key not in overhead or overhead[key][1] < year):
                overhead[key] = (value, year)
    for path in sorted(folder.glob("gcp_region_carbon_*.csv")):
        year = int(re.search(r"(\d{4})\.csv$", path.name).group(1))
        with open(path, encoding="utf-8-sig", newline="") as file:
            for row in csv.DictReader(file):
                name = next(column for column in row if "arbon intensity" in column)
                value, key = number(row[name]), ("gcp", row["Google Cloud Region"].strip())
                if value and (key not in grid or grid[key][1] <= year):
                    grid[key] = (value, year, "google")
    out = csv.writer(sys.stdout, lineterminator="\n")
    print("# Carbon intensity of the grid a cloud region draws from, location-based annual average, and the region's power usage effectiveness.")
    print("# Sources: gsf = Green Software Foundation, real-time-cloud region metadata; google = Google Cloud region carbon data. Made by scripts/make_carbon.py.")
    out.writerow(["provider", "region", "grams_per_kwh", "pue", "source", "date"])
    for key in sorted(grid):
        value, year, source = grid[key]
        out.writerow([*key, f"{value:g}", f"{overhead[key][0]:g}" if key in overhead else "", source, year])


main()
