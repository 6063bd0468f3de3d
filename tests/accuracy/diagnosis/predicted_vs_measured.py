"""Runs badly fed trainings, follows the advice, and prints predicted beside measured. See README.md."""

import argparse
import json
import os
import pathlib
import subprocess
import sys
import tempfile

TRAIN = '''
import sys
import numpy, torch
from PIL import Image
folder, workers, threads, width, steps = sys.argv[1], *map(int, sys.argv[2:6])
torch.set_num_threads(threads)
files = [f"{folder}/{i % 32}.jpg" for i in range(64 * steps)]
class Photos(torch.utils.data.Dataset):
    def __len__(self): return len(files)
    def __getitem__(self, i):
        image = Image.open(files[i]).convert("RGB").resize((128, 128), Image.BILINEAR)
        return torch.from_numpy(numpy.array(image)).permute(2, 0, 1).float().div_(255), i % 10
net = torch.nn.Sequential(torch.nn.Conv2d(3, width, 3, 2, 1), torch.nn.ReLU(), torch.nn.Conv2d(width, 2 * width, 3, 2, 1), torch.nn.ReLU(),
                          torch.nn.AdaptiveAvgPool2d(1), torch.nn.Flatten(), torch.nn.Linear(2 * width, 10))
optimizer = torch.optim.SGD(net.parameters(), 0.01)
for step, (x, y) in enumerate(torch.utils.data.DataLoader(Photos(), batch_size=16, num_workers=workers)):
    optimizer.zero_grad()
    torch.nn.functional.cross_entropy(net(x), y).backward()
    optimizer.step()
    if step + 1 == steps: break
'''
PHOTOS = '''
import sys
import numpy
from PIL import Image
random = numpy.random.default_rng(0)
for i in range(32):
    small = Image.fromarray(random.integers(0, 255, (47, 63, 3), dtype=numpy.uint8)).resize((500, 375), Image.BICUBIC)
    noisy = numpy.asarray(small).astype(int) + random.integers(-12, 12, (375, 500, 3))
    Image.fromarray(noisy.clip(0, 255).astype(numpy.uint8)).save(f"{sys.argv[1]}/{i}.jpg", quality=88)
'''


def newest_run(home):
    return max((home / "runs").iterdir(), key=lambda path: path.stat().st_mtime).name


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--forebay", required=True)
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--steps", type=int, default=150)
    options = parser.parse_args()
    inside = 0
    cases = [(1, 8), (1, 16), (2, 16), (2, 32)]
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        (root / "photos").mkdir()
        (root / "train.py").write_text(TRAIN)
        home = root / "home"
        environment = dict(os.environ, FOREBAY_HOME=str(home), FOREBAY_LANG="en")
        subprocess.run([options.python, "-c", PHOTOS, str(root / "photos")], check=True)

        def run(workers, threads, width):
            command = [options.forebay, "run", "--", options.python, "train.py", "photos", workers, threads, width, options.steps]
            subprocess.run([str(word) for word in command], cwd=root, env=environment, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            return newest_run(home)

        for threads, width in cases:
            before = run(0, threads, width)
            findings = json.loads((home / "runs" / before / "findings.json").read_text())["findings"]
            advice = next((fix["settings"]["num_workers"] for finding in findings for fix in finding["fixes"] if "num_workers" in fix.get("settings", {})), None)
            if advice is None:
                print(f"threads {threads}, width {width}: no advice; findings {[finding['id'] for finding in findings]}")
                continue
            after = run(int(advice), threads, width)
            answer = subprocess.run([options.forebay, "compare", before, after, "--json"], cwd=root, env=environment, check=True, capture_output=True, text=True)
            comparison = json.loads(answer.stdout)
            for check in comparison.get("comparison", comparison)["predictions"]:
                predicted, measured = check["predicted_step_seconds"], check["measured_step_seconds"]
                print(f"threads {threads}, width {width}, workers {advice}: predicted {predicted['low']:.3f} to {predicted['high']:.3f} s, "
                      f"likely {predicted['likely']:.3f}, measured {measured:.3f}: {check['verdict']}", flush=True)
                inside += check["verdict"] == "within"
    print(f"{inside} of {len(cases)} within the predicted interval")


if __name__ == "__main__":
    main()
