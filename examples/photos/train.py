"""Train a small convolutional network to tell which of ten places a photograph shows."""

import argparse
import os
import pathlib
import random
import time

import torch
from PIL import Image, ImageEnhance, ImageFilter
from torch import nn
from torch.utils.data import DataLoader, Dataset

MEAN = torch.tensor([0.485, 0.456, 0.406]).view(3, 1, 1)
STD = torch.tensor([0.229, 0.224, 0.225]).view(3, 1, 1)


class Photos(Dataset):
    """Photographs in class folders; every eighth one of a class is kept for validation."""

    def __init__(self, root, train, size=128):
        self.train = train
        self.size = size
        self.classes = sorted(entry.name for entry in pathlib.Path(root).iterdir() if entry.is_dir())
        self.items = []
        for label, name in enumerate(self.classes):
            for number, path in enumerate(sorted(pathlib.Path(root, name).glob("*.jpg"))):
                if (number % 8 == 0) != train:
                    self.items.append((path, label))

    def __len__(self):
        return len(self.items)

    def __getitem__(self, index):
        path, label = self.items[index]
        image = Image.open(path)
        if image.mode != "RGB":
            image = image.convert("RGB")
        if self.train:
            image = self.augment(image)
        else:
            image = image.resize((self.size, self.size), Image.Resampling.LANCZOS)
        pixels = torch.frombuffer(bytearray(image.tobytes()), dtype=torch.uint8)
        pixels = pixels.view(self.size, self.size, 3).permute(2, 0, 1).float() / 255
        return (pixels - MEAN) / STD, label

    def augment(self, image):
        image = image.resize((self.size * 2, self.size * 2), Image.Resampling.LANCZOS)
        image = image.rotate(random.uniform(-15, 15), Image.Resampling.BICUBIC)
        for enhance in (ImageEnhance.Brightness, ImageEnhance.Contrast, ImageEnhance.Color):
            image = enhance(image).enhance(random.uniform(0.7, 1.3))
        image = image.filter(ImageFilter.GaussianBlur(random.uniform(0.1, 2.0)))
        side = random.randint(self.size * 5 // 4, self.size * 7 // 4)
        left, top = random.randint(0, self.size * 2 - side), random.randint(0, self.size * 2 - side)
        box = (left, top, left + side, top + side)
        image = image.resize((self.size, self.size), Image.Resampling.LANCZOS, box=box)
        if random.random() < 0.5:
            image = image.transpose(Image.Transpose.FLIP_LEFT_RIGHT)
        return image


def block(inputs, outputs):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, 3, padding=1, bias=False), nn.BatchNorm2d(outputs), nn.ReLU(), nn.MaxPool2d(2)
    )


def network(classes):
    return nn.Sequential(
        block(3, 16), block(16, 32), block(32, 64), block(64, 128),
        nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(128, classes),
    )


def validate(model, loader):
    model.eval()
    loss, right, seen = 0.0, 0, 0
    with torch.no_grad():
        for images, labels in loader:
            outputs = model(images)
            loss += nn.functional.cross_entropy(outputs, labels, reduction="sum").item()
            right += (outputs.argmax(1) == labels).sum().item()
            seen += len(labels)
    model.train()
    return loss / seen, right / seen


def save(path, model, optimizer, epoch):
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save({"model": model.state_dict(), "optimizer": optimizer.state_dict(), "epoch": epoch}, path)
    path.with_suffix(".done").touch()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--epochs", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=16)
    parser.add_argument("--lr", type=float, default=3e-3)
    parser.add_argument("--checkpoints", type=pathlib.Path, default=pathlib.Path("checkpoints"))
    parser.add_argument("--resume", default=os.environ.get("FOREBAY_RESUME"))
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()

    random.seed(args.seed)
    torch.manual_seed(args.seed)

    train = Photos(args.data, train=True)
    loader = DataLoader(train, batch_size=args.batch_size, shuffle=True, drop_last=True)
    val_loader = DataLoader(Photos(args.data, train=False), batch_size=args.batch_size)
    model = network(len(train.classes))
    optimizer = torch.optim.AdamW(model.parameters(), lr=args.lr)
    first_epoch = 1
    if args.resume:
        state = torch.load(args.resume)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        first_epoch = state["epoch"] + 1
        print(f"resumed from {args.resume}")
    print(f"{len(train)} photographs, {len(train.classes)} classes, {args.epochs} epochs of {len(loader)} steps")

    step = (first_epoch - 1) * len(loader)
    for epoch in range(first_epoch, args.epochs + 1):
        began = time.time()
        for images, labels in loader:
            loss = nn.functional.cross_entropy(model(images), labels)
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            step += 1
            print(f"epoch={epoch} step={step} loss={loss.item():.4f}", flush=True)
        val_loss, accuracy = validate(model, val_loader)
        print(f"epoch={epoch} val_loss={val_loss:.4f} val_acc={accuracy:.3f} seconds={time.time() - began:.1f}")
        save(args.checkpoints / f"epoch-{epoch}.pt", model, optimizer, epoch)


if __name__ == "__main__":
    main()
