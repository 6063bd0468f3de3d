#!/usr/bin/env python3
"""Writes data/offers/*.csv: rentable GPU machines with their prices, from a folder of public price lists.

    scripts/make_offers.py FOLDER [OUTPUT]      FOLDER holds prices/ and measured/; OUTPUT is data/offers

The same input gives the same bytes. What a source does not say stays empty (unknown). A price that is worked out
from a ratio instead of read from a list is named in the column `derived`. docs/offers.md says what each column means.
"""
import csv
import fractions
import json
import pathlib
import re
import sys

COLUMNS = ("provider instance_type region area gpu gpu_count gpu_memory_mib vcpu memory_mib local_nvme_gb network_gbps rdma "
           "currency on_demand spot committed_1y committed_3y derived interruption source date").split()

# Figures that none of the lists holds, each with where it is published.
# Usable MiB of one accelerator where nothing measured is at hand.
STATED_MEMORY_MIB = {
    "GB200": 189471,            # nvidia-smi of GB200 trays, public logs
    "MI300X": 196592,           # rocm-smi: 206,141,652,992 bytes, public logs
    "Trainium1": 32 * 1024, "Trainium2": 96 * 1024,      # AWS instance pages, nominal
    "Inferentia1": 8 * 1024, "Inferentia2": 32 * 1024,   # AWS instance pages, nominal
    "TPU-v3": 32 * 1024, "TPU-v5e": 16 * 1024, "TPU-v5p": 95 * 1024, "TPU-v6e": 32 * 1024,  # Google system architecture pages, nominal
}
# Microsoft's size pages: (memory GiB, local disk GB) of sizes that came after the 2024 export.
AZURE_SIZES = {
    "NC40ads_H100_v5": (320, 3576), "NC80adis_H100_v5": (640, 7152), "NCC40ads_H100_v5": (320, None),
    "ND96isr_H200_v5": (1850, 28000), "ND96isr_MI300X_v5": (1850, 28000), "ND96is_MI300X_v5": (1850, 28000),
    "ND128isr_NDR_GB200_v6": (900, 16000),
}
# Microsoft's size pages: InfiniBand in Gb/s per machine, all links together.
AZURE_FABRIC_GBPS = {"H100": 3200, "H200": 3200, "MI300X": 3200, "GB200": 1600, "A100": 1600, "v2": 100}
# Google's machine family pages: accelerators per machine and families whose network has RDMA over Ethernet.
GOOGLE_ROCE = ("a3-ultragpu", "a4-", "a4x-")


def read(path, delimiter=","):
    with open(path, newline="", encoding="utf-8-sig") as stream:
        return list(csv.DictReader(stream, delimiter=delimiter))


def number(value):
    """A figure in its shortest exact form; '' for what is unknown."""
    if value is None or value == "":
        return ""
    return ("%.6f" % float(value)).rstrip("0").rstrip(".")


def share(value):
    """A GPU count: 8, 1/8."""
    part = fractions.Fraction(value)
    return str(part.numerator) if part.denominator == 1 else "%d/%d" % (part.numerator, part.denominator)


class Memory:
    """Usable MiB per GPU, as nvidia-smi reports it on real machines: of this instance, else the least seen for the part."""
    NAMES = {"Tesla T4": "T4", "NVIDIA T4G": "T4G", "NVIDIA A10G": "A10G", "NVIDIA A10": "A10", "NVIDIA L4": "L4", "NVIDIA L40S": "L40S",
             "Tesla V100-SXM2-16GB": "V100-SXM-16GB", "Tesla V100-SXM2-32GB": "V100-SXM-32GB", "Tesla V100-PCIE-16GB": "V100-PCIe-16GB",
             "NVIDIA A100-SXM4-40GB": "A100-SXM-40GB", "NVIDIA A100-SXM4-80GB": "A100-SXM-80GB", "NVIDIA A100 80GB PCIe": "A100-PCIe-80GB",
             "NVIDIA H100 80GB HBM3": "H100-SXM-80GB", "NVIDIA H100 NVL": "H100-NVL-94GB", "NVIDIA H200": "H200-SXM", "NVIDIA B200": "B200-SXM",
             "NVIDIA RTX PRO 6000 Blackwell Server Edition": "RTX-PRO-6000", "Tesla K80": "K80", "Tesla M60": "M60", "NVIDIA A10-4Q": "A10@1/6",
             "NVIDIA A10-8Q": "A10@1/3"}

    def __init__(self, rows):
        self.by_instance, self.by_part, self.counts = {}, {}, {}
        for row in rows:
            mib = int(row["fb_memory_total_mib"])
            key = (row["vendor"], row["instance"])
            self.by_instance[key] = mib
            self.counts[key] = int(row["attached_gpus"])
            part = self.NAMES.get(row["gpu_names"])
            if part:
                self.by_part[part] = min(mib, self.by_part.get(part, mib))

    def of(self, vendor, instance, gpu, count):
        if (vendor, instance) in self.by_instance:
            return self.by_instance[vendor, instance]
        if count < 1:
            slice_name = "%s@%s" % (gpu, share(count))
            if slice_name in self.by_part:
                return self.by_part[slice_name]
            whole = self.by_part.get(gpu)
            return None if whole is None else int(whole * count)
        return self.by_part.get(gpu, STATED_MEMORY_MIB.get(gpu))


def area_of(region):
    """A part of the world in one vocabulary for every provider: eu us ca mx ap sa me af."""
    words = (("us-gov", "us"), ("northamerica-northeast", "ca"), ("northamerica-south", "mx"), ("southamerica", "sa"), ("asia", "ap"),
             ("australia", "ap"), ("europe", "eu"), ("africa", "af"), ("eu-", "eu"), ("us-", "us"), ("ca-", "ca"), ("mx-", "mx"), ("ap-", "ap"),
             ("sa-", "sa"), ("me-", "me"), ("il-", "me"), ("af-", "af"))
    for beginning, area in words:
        if region.startswith(beginning):
            return area
    azure = {"ca": "canada", "mx": "mexico", "sa": "brazil chile", "me": "uae qatar israel", "af": "southafrica",
             "ap": "japan korea india asia malaysia indonesia newzealand", "eu": "europe france germany norway sweden switzerland uk italy poland spain austria",
             "us": "eastus westus centralus"}
    for area, names in azure.items():
        if any(name in region for name in names.split()):
            return area
    raise SystemExit("no area is known for the region %r" % region)


# --- AWS ---
AWS_GPUS = {"radeon-pro-v520": "Radeon-Pro-V520", "t4": "T4", "t4g": "T4G", "a10g": "A10G", "l4": "L4", "l40s": "L40S", "rtx-pro-4500": "RTX-PRO-4500",
            "rtx-pro-server-6000": "RTX-PRO-6000", "v100": "V100-SXM-32GB", "h100": "H100-SXM-80GB", "h200": "H200-SXM", "b200": "B200-SXM",
            "b300": "B300-SXM", "inferentia": "Inferentia1", "inferentia2": "Inferentia2", "trainium": "Trainium1", "trainium2": "Trainium2"}
# Families that the specifications no longer list but the prices do; the counts come from the measured machines.
AWS_OLD = {"p2": "K80", "p3": "V100-SXM-16GB", "g3": "M60", "g3s": "M60"}
INTERRUPTION = ("<5%", "5-10%", "10-15%", "15-20%", ">20%")


def aws_machines(folder, memory, advisor):
    machines = {}
    whole = {}  # memory of a whole GPU as AWS states it, to see what share a fractional instance has
    specs = read(folder / "aws_instance_specs.csv")
    for row in specs:
        if row["gpu-name"] and row["gpu-count"] not in ("", "0"):
            whole[row["gpu-name"]] = int(row["gpu-memory"])
    for row in specs:
        name, instance = row["gpu-name"] or row["accelerator-name"], row["instance_type"]
        gpu = ("A100-SXM-80GB" if int(row["gpu-memory"]) > 50000 else "A100-SXM-40GB") if name == "a100" else AWS_GPUS.get(name)
        if not gpu:
            continue
        count = fractions.Fraction(int(row["gpu-count"] or row["accelerator-count"] or 0))
        if count == 0:  # AWS says 0 GPUs where it rents out a share of one
            count = fractions.Fraction(1, round(whole[name] / int(row["gpu-memory"])))
        machines[instance] = dict(
            gpu=gpu, gpu_count=share(count), gpu_memory_mib=memory.of("aws", instance, gpu, count) or row["gpu-memory"], vcpu=row["cpu"],
            memory_mib=row["memory"], local_nvme_gb=row["local-nvme"] or "0", network_gbps=number(int(row["network-bandwidth"]) / 1000),
            rdma="EFA" if int(row["efa"] or 0) else "none")
    for instance, facts in advisor["instance_types"].items():
        gpu = AWS_OLD.get(instance.split(".")[0])
        if gpu and ("aws", instance) in memory.counts:
            count = memory.counts["aws", instance]
            machines[instance] = dict(gpu=gpu, gpu_count=share(count), gpu_memory_mib=memory.of("aws", instance, gpu, count), vcpu=facts["cores"],
                                      memory_mib=number(facts["ram_gb"] * 1024), local_nvme_gb="0", network_gbps="", rdma="none")
    return machines


def dollars(text):
    return float(text.strip("$").split()[0]) if text.startswith("$") else None


def reserved_ratio(rows, key):
    """instance -> (on-demand price then, reserved ÷ on-demand)."""
    found = {}
    for row in rows:
        now, reserved = dollars(row[key]), dollars(row["Linux Reserved cost"])
        if now and reserved:
            found[re.sub(r"[ _]|standard", "", row["API Name"].lower())] = (now, reserved / now)
    return found


def committed(on_demand, then_and_ratio):
    """The one-year price by an old ratio, only where the on-demand price has not moved since (within 1 %)."""
    if not on_demand or not then_and_ratio or abs(on_demand / then_and_ratio[0] - 1) > 0.01:
        return ""
    return number(on_demand * then_and_ratio[1])


def aws(folder, memory):
    advisor = json.loads((folder / "aws_spot_advisor_2025-07.json").read_text())
    machines = aws_machines(folder, memory, advisor)
    ratios = reserved_ratio(read(folder / "aws_2023_reserved_spot_ratios.csv"), "On Demand")
    prices = {(row["region"], row["instance_type"]): float(row["usd_per_hour"]) for row in read(folder / "aws_ondemand_us-east-1_and_gov.csv")}
    advice = {(region, instance): facts for region, systems in advisor["spot_advisor"].items() for instance, facts in systems.get("Linux", {}).items()}
    rows = []
    for region, instance in sorted(set(prices) | set(advice)):
        if instance not in machines:
            continue
        on_demand, facts, derived = prices.get((region, instance)), advice.get((region, instance)), []
        spot = committed_1y = ""
        if on_demand and facts:
            spot = number(on_demand * (100 - facts["s"]) / 100)
            derived.append("spot")
        if on_demand and region == "us-east-1":
            committed_1y = committed(on_demand, ratios.get(instance))
            if committed_1y:
                derived.append("committed_1y")
        rows.append(dict(machines[instance], provider="aws", instance_type=instance, region=region, area=area_of(region), currency="USD",
                         on_demand=number(on_demand), spot=spot, committed_1y=committed_1y, derived="+".join(derived),
                         interruption=INTERRUPTION[facts["r"]] if facts else "",
                         source="AWS price list" if on_demand else "AWS Spot Advisor", date="2026-07" if on_demand else "2025-07"))
    return rows


# --- Azure ---
def azure_gpu(sku):
    """(GPU, count) of a size, by Microsoft's naming; None where the share of a GPU is not documented or it is no compute GPU."""
    vcpu = int(re.search(r"\d+", sku).group())
    patterns = (
        (r"NC(6|12|24)r?s_v3", "V100-PCIe-16GB", lambda: fractions.Fraction(vcpu, 6)),
        (r"NC(4|8|16)as_T4_v3", "T4", lambda: 1), (r"NC64as_T4_v3", "T4", lambda: 4),
        (r"NC(24|48|96)ads_A100_v4", "A100-PCIe-80GB", lambda: fractions.Fraction(vcpu, 24)),
        (r"NCC?(40|80)adi?s_H100_v5", "H100-NVL-94GB", lambda: fractions.Fraction(vcpu, 40)),
        (r"NC(8|16|32)ads_A10_v4", "A10", lambda: fractions.Fraction(vcpu, 16)),
        (r"NV(6|12|18|36|72)adm?s_A10_v5", "A10", lambda: fractions.Fraction(vcpu, 36)),
        (r"ND40rs_v2", "V100-SXM-32GB", lambda: 8),
        (r"ND96asr(_A100)?_v4", "A100-SXM-40GB", lambda: 8), (r"ND96amsr?_A100_v4", "A100-SXM-80GB", lambda: 8),
        (r"ND96is(r|f|rf|_flex|_noIB)?_H100_v5", "H100-SXM-80GB", lambda: 8), (r"ND96isr_H200_v5", "H200-SXM", lambda: 8),
        (r"ND96isr?_MI300X_v5", "MI300X", lambda: 8), (r"ND128isrf?_NDR_GB200_v6", "GB200", lambda: 4))
    for pattern, gpu, count in patterns:
        if re.fullmatch(pattern, sku):
            return gpu, fractions.Fraction(count())
    return None


def azure_rdma(sku):
    if re.search(r"rs?_|isrf?_|asr_|amsr_|isr_", sku) and not re.search(r"noIB|flex", sku):
        fabric = next((gbps for word, gbps in AZURE_FABRIC_GBPS.items() if word in sku or (word == "A100" and sku == "ND96asr_v4")), None)
        return "InfiniBand", number(fabric)
    return "none", ""


def azure(folder, memory):
    old = read(folder / "azure_2024_reserved_spot_ratios.csv")
    ratios = reserved_ratio(old, "Linux On Demand cost")
    sizes = {re.sub(r"[ _]|standard", "", row["API Name"].lower()): row for row in old}
    rows = []
    for row in read(folder / "azure_ondemand.csv"):
        sku = row["sku"].removeprefix("Standard_")
        if not row["sku"].startswith("Standard_N") or not re.search(r"\d", sku) or not azure_gpu(sku):
            continue
        gpu, count = azure_gpu(sku)
        key = sku.lower().replace("_", "")
        known = sizes.get(key) or sizes.get({"nd96asrv4": "nd96asra100v4", "nv6adsa10v5": "nv6adsv5"}.get(key, ""))
        gib, disk = AZURE_SIZES.get(sku, (None, None))
        if known:
            gib, disk = float(known["Instance Memory"].split()[0]), known["Instance Storage"]
        on_demand = float(row["usd_per_hour"])
        committed_1y = committed(on_demand, ratios.get(key)) if row["region"] == "eastus" else ""
        rdma, fabric = azure_rdma(sku)
        rows.append(dict(provider="azure", instance_type=row["sku"], region=row["region"], area=area_of(row["region"]), gpu=gpu, gpu_count=share(count),
                         gpu_memory_mib=memory.of("azure", row["sku"], gpu, count), vcpu=re.search(r"\d+", sku).group(),
                         memory_mib=number(gib * 1024 if gib else None), local_nvme_gb=number(disk), network_gbps=fabric, rdma=rdma, currency="USD",
                         on_demand=number(on_demand), committed_1y=committed_1y, derived="committed_1y" if committed_1y else "",
                         source="Azure retail prices", date="2026-06"))
    return rows


# --- Google ---
def google_gpu(machine):
    """(GPU, count) of a machine type whose accelerators are part of it."""
    family, _, size = machine.rpartition("-")
    counted = re.fullmatch(r"(\d+)g(-metal)?", size)
    by_name = {"a2-highgpu": "A100-SXM-40GB", "a2-megagpu": "A100-SXM-40GB", "a2-ultragpu": "A100-SXM-80GB", "a3-highgpu": "H100-SXM-80GB",
               "a3-megagpu": "H100-SXM-80GB", "a3-ultragpu": "H200-SXM", "a4-highgpu": "B200-SXM", "a4x-highgpu": "GB200"}
    if family in by_name and counted:
        return by_name[family], fractions.Fraction(int(counted[1]))
    if family == "g2-standard":
        return "L4", fractions.Fraction({24: 2, 48: 4, 96: 8}.get(int(size), 1))
    if family == "g4-standard":  # 48 vCPU are one GPU; smaller sizes rent a share of it
        return "RTX-PRO-6000", fractions.Fraction(int(size), 48)
    tpu = re.fullmatch(r"(ct3|ct3p|ct5l|ct5lp|ct5p|ct6e)-(?:hightpu|standard)-(\d+)t", machine)
    if tpu:
        part = {"ct3": "TPU-v3", "ct3p": "TPU-v3", "ct5l": "TPU-v5e", "ct5lp": "TPU-v5e", "ct5p": "TPU-v5p", "ct6e": "TPU-v6e"}[tpu[1]]
        return part, fractions.Fraction(int(tpu[2]))
    return None


# Accelerator types of Google's region list whose machine types have no price in the price list.
GOOGLE_UNPRICED = {"nvidia-h200-141gb": ("a3-ultragpu-8g",), "nvidia-b200": ("a4-highgpu-8g",), "nvidia-gb200": ("a4x-highgpu-4g",),
                   "ct5lp": ("ct5lp-hightpu-1t", "ct5lp-hightpu-4t", "ct5lp-hightpu-8t"), "ct5p": ("ct5p-hightpu-4t",),
                   "ct6e": ("ct6e-standard-1t", "ct6e-standard-4t", "ct6e-standard-8t"), "ct3": ("ct3-hightpu-4t",)}


def google(folder, memory):
    types = {row["NAME"]: row for row in read(folder / "machinetypes.csv", ";")}
    prices = {(row["region"], row["machine_type"]): row for row in read(folder / "gcp_ondemand_spot.csv")}
    places = set(prices)
    for row in read(folder / "acceleratortyperegion.csv", ";") + read(folder / "acceleratortypezone.csv", ";"):
        region = re.sub(r"-[a-z]$", "", row["ZONE"])
        places |= {(region, machine) for machine in GOOGLE_UNPRICED.get(row["NAME"], ())}
    rows = []
    for region, machine in sorted(places):
        if not google_gpu(machine):
            continue
        gpu, count = google_gpu(machine)
        price, facts = prices.get((region, machine), {}), types.get(machine)
        is_tpu = gpu.startswith("TPU")
        rows.append(dict(provider="gcp", instance_type=machine, region=region, area=area_of(region), gpu=gpu, gpu_count=share(count),
                         gpu_memory_mib=memory.of("gcp", machine, gpu, count), vcpu=facts["CPUS"] if facts else "",
                         memory_mib=number(float(facts["MEMORY_GB"]) * 1024) if facts else "",
                         rdma="RoCE" if machine.startswith(GOOGLE_ROCE) else "" if is_tpu else "none", currency="USD",
                         on_demand=number(price.get("ondemand_usd_per_hour")), spot=number(price.get("spot_usd_per_hour")),
                         source="Google Cloud prices" if price else "Google machine type list", date="2026-08" if price else "2026-12"))
    return rows


# --- Nebius ---
def nebius(folder, memory):
    parts = {"H100": "H100-SXM-80GB", "H200": "H200-SXM", "B200": "B200-SXM", "L40S": "L40S"}
    rows = []
    for row in read(folder / "nebius_skypilot_v8.csv"):
        gpu, count = parts[row["AcceleratorName"]], fractions.Fraction(row["AcceleratorCount"])
        rows.append(dict(provider="nebius", instance_type=row["InstanceType"], region=row["Region"], area=area_of(row["Region"]), gpu=gpu, gpu_count=share(count),
                         gpu_memory_mib=memory.of("nebius", row["InstanceType"], gpu, count), vcpu=row["vCPUs"], memory_mib=number(float(row["MemoryGiB"]) * 1024),
                         currency="USD", on_demand=number(row["Price"]), spot=number(row["SpotPrice"]), source="SkyPilot catalogue v8", date="2026-12-01"))
    return rows


def write(path, rows):
    keys = [(row["instance_type"], row["region"]) for row in rows]
    assert len(keys) == len(set(keys)), "an offer of %s is there twice" % path.name
    for row in rows:
        for kind in ("on_demand", "spot", "committed_1y", "committed_3y"):
            price = row.get(kind, "")
            assert price == "" or 0 < float(price) < 10000, (kind, row)
    with open(path, "w", newline="", encoding="utf-8") as stream:
        stream.write("# Made by scripts/make_offers.py; columns and sources: docs/offers.md. Empty is unknown.\n")
        writer = csv.DictWriter(stream, COLUMNS, restval="", lineterminator="\n")
        writer.writeheader()
        for row in sorted(rows, key=lambda row: (row["instance_type"], row["region"])):
            writer.writerow({name: "" if value is None else value for name, value in row.items()})
    print("%s: %d offers" % (path.name, len(rows)))


def main():
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    folder = pathlib.Path(sys.argv[1])
    output = pathlib.Path(sys.argv[2]) if len(sys.argv) == 3 else pathlib.Path(__file__).resolve().parent.parent / "data" / "offers"
    output.mkdir(parents=True, exist_ok=True)
    memory = Memory(read(folder / "measured" / "nvidia_smi.csv"))
    for name, make in (("aws", aws), ("azure", azure), ("gcp", google), ("nebius", nebius)):
        write(output / (name + ".csv"), make(folder / "prices", memory))


if __name__ == "__main__":
    main()
