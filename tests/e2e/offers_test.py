"""forebay offers, and its update from servers that behave and servers that do not."""
import http.server
import os
import shutil
import ssl
import subprocess
import threading
import unittest
import urllib.parse

from harness import ForebayCase

HEADER = "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,SpotPrice\n"


def catalogue(price="1.25", machines=4):
    return HEADER + "".join("gpu_%d,A10,1,8,32,%s,us-east-1,,\n" % (i, price) for i in range(machines))


def azure_item(price, sku="Standard_NC40ads_H100_v5", name="NC40ads H100 v5"):
    return {"currencyCode": "USD", "retailPrice": price, "armRegionName": "eastus", "armSkuName": sku, "productName": "NCads", "skuName": name,
            "meterName": name, "type": "Consumption"}


class Server(http.server.ThreadingHTTPServer):
    """Answers by the path's last word: what is served is set by the test."""
    daemon_threads = True

    def __init__(self, certificate=None):
        super().__init__(("127.0.0.1", 0), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            self.socket = context.wrap_socket(self.socket, server_side=True)
        self.body, self.etag, self.asked, self.release = catalogue(), '"one"', [], threading.Event()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def url(self):
        return "http://127.0.0.1:%d" % self.server_address[1]


class Handler(http.server.BaseHTTPRequestHandler):
    def log_message(self, *_):
        pass

    def do_GET(self):
        server = self.server
        server.asked.append((self.path, self.headers.get("If-None-Match")))
        mode = urllib.parse.urlparse(self.path).path.split("/")[1]
        if mode == "azure":
            return self.azure()
        if mode == "status":
            self.send_error(int(self.path.split("/")[2]))
            return None
        if mode == "redirect":
            self.send_response(302)
            self.send_header("Location", "file:///etc/passwd")
            self.end_headers()
            return None
        if mode == "etag" and self.headers.get("If-None-Match") == server.etag:
            self.send_response(304)
            self.end_headers()
            return None
        body = server.body.encode()
        self.send_response(200)
        self.send_header("ETag", server.etag)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if mode in ("truncate", "stall"):
            self.wfile.write(body[: len(body) // 2])
            self.wfile.flush()
            if mode == "stall":
                server.release.wait(30)
            return None
        self.wfile.write(body)
        return None

    def azure(self):
        import json
        second = "page=2" in self.path
        page = {"Items": [azure_item(3.5, name="NC40ads H100 v5 Spot")] if second else [azure_item(7.25)], "NextPageLink": None}
        if not second:
            page["NextPageLink"] = self.server.url + "/azure/prices?page=2"
        body = json.dumps(page).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Offers(ForebayCase):
    def test_lists_filters_and_says_how_old(self):
        result = self.forebay("offers", "--gpu", "H100:8", "--provider", "aws", "--region", "us-east-1", check=0)
        self.assertIn("p5.48xlarge", result.text)
        self.assertIn("USD/H", result.text)
        self.assertIn(" 55.04 ", result.text)
        self.assertRegex(result.err, r"prices of 2026-07, at least \d+ days old")

    def test_json_has_null_for_the_unknown(self):
        result = self.forebay("offers", "--gpu", "L4:1/8", "--json", "-n", "1", check=0)
        offer = result.json["offers"][0]
        self.assertEqual((offer["gpu_count"], offer["gpu_memory_mib"], offer["price_per_gpu_hour"]), (0.125, 3072, 1.616))
        self.assertIsNone(offer["committed_3y_per_hour"])

    def test_csv_is_the_schema_of_the_table(self):
        lines = self.forebay("offers", "--gpu", "H200", "--csv", check=0).text.splitlines()
        self.assertTrue(lines[0].startswith("provider,instance_type,region,area,gpu,"))
        self.assertTrue(all(",H200-SXM," in line for line in lines[1:]) and len(lines) > 1)

    def test_bad_input_is_one_sentence_and_code_2(self):
        for arguments in (["--gpu", "H1000"], ["--memory", "80"], ["--max-price", "3"], ["--max-price", "20CNY"], ["--provider", "awz"], ["-n", "x"],
                          ["--rdma", "tcp"], ["--spot", "--committed", "1y"], ["--rate", "CNY"], ["--currency", "CNY"]):
            result = self.forebay("offers", *arguments)
            self.assertEqual((result.code, result.text), (2, ""), arguments)
            self.assertEqual(result.err.count("\n"), 1, result.err)

    def test_rates_come_from_an_option_or_the_environment(self):
        for arguments, env in ((["--rate", "CNY=7"], {}), ([], {"FOREBAY_RATES": "CNY=7"})):
            result = self.forebay("offers", "--instance", "p5.48xlarge", "--region", "us-east-1", "--currency", "CNY", "--json", *arguments, env=env, check=0)
            self.assertEqual(result.json["offers"][0]["price_per_hour"], 385.28)


class OffersUpdate(ForebayCase):
    def setUp(self):
        super().setUp()
        self.server = Server()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.addCleanup(self.server.release.set)

    def update(self, mode, *arguments, **options):
        return self.forebay("offers", "update", "--catalog", "%s/%s" % (self.server.url, mode), "--provider", "acme", *arguments, **options)

    def snapshots(self):
        return sorted(path.name for path in (self.home / "data" / "offers").glob("*.csv"))

    def price(self):
        return self.forebay("offers", "--provider", "acme", "--json", check=0).json["offers"][0]["price_per_hour"]

    def test_takes_a_catalogue_over_and_keeps_the_old_snapshot(self):
        self.assertEqual(self.update("good", "--json", check=0).json["updates"][0]["offers"], 4)
        self.assertEqual(self.price(), 1.25)
        self.server.body = catalogue("1.5")
        self.update("good", check=0)
        self.assertEqual((self.price(), len(self.snapshots())), (1.5, 2))

    def test_asks_only_for_what_has_changed(self):
        self.update("etag", check=0)
        again = self.update("etag", "--json", check=0)
        self.assertFalse(again.json["updates"][0]["changed"])
        self.assertEqual([etag for _, etag in self.server.asked], [None, '"one"'])
        self.assertEqual(len(self.snapshots()), 1)

    def test_faults_leave_the_old_prices_and_say_one_sentence(self):
        self.update("good", check=0)
        before = self.snapshots()
        faults = [("truncate", None, "whole file"), ("stall", None, "nothing arrived"), ("status/500", None, "status 500"), ("status/404", None, "status 404"),
                  ("redirect", None, ""), ("good", "<html>not a list</html>\n", "InstanceType"), ("good", catalogue("-1"), "makes no sense"),
                  ("good", catalogue("99999"), "makes no sense"), ("good", catalogue()[:-10], "cut off"), ("good", "", "empty"),
                  ("good", catalogue(machines=1), "half a file"), ("good", "\x00\x01\x02,\n", "")]
        for mode, body, words in faults:
            self.server.body = catalogue("1.5") if body is None else body
            result = self.update(mode, "--timeout", "1s")
            self.assertIn(result.code, (2, 125), mode)
            self.assertIn(words, result.err)
            self.assertEqual(result.err.count("\n"), 1, result.err)
            self.assertEqual(self.snapshots(), before, mode)
        self.assertEqual(self.price(), 1.25)

    def test_nobody_there_is_said(self):
        result = self.forebay("offers", "update", "--catalog", "http://127.0.0.1:1/acme/vms.csv")
        self.assertEqual((result.code, result.err.count("\n")), (125, 1))

    @unittest.skipUnless(shutil.which("openssl"), "openssl is not installed")
    def test_a_certificate_that_nobody_vouches_for_is_refused(self):
        certificate = str(self.folder / "own.pem")
        subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext",
                        "subjectAltName=IP:127.0.0.1", "-keyout", certificate, "-out", certificate + ".crt"], check=True, capture_output=True)
        with open(certificate, "a") as both, open(certificate + ".crt") as public:
            both.write(public.read())
        server = Server(certificate)
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        result = self.forebay("offers", "update", "--catalog", server.url.replace("http:", "https:") + "/acme/vms.csv")
        self.assertEqual((result.code, server.asked, self.snapshots()), (125, [], []), result.err)
        self.assertIn("certificate", result.err.lower())
        trusted = self.forebay("offers", "update", "--catalog", server.url.replace("http:", "https:") + "/acme/vms.csv",
                               env={"SSL_CERT_FILE": certificate + ".crt"})
        self.assertEqual(trusted.code, 0, trusted.err)

    def test_a_folder_and_a_dry_run(self):
        folder = self.work / "v8" / "acme"
        folder.mkdir(parents=True)
        (folder / "vms.csv").write_text(catalogue())
        self.forebay("offers", "update", "--catalog", folder.parent, "--dry-run", check=0)
        self.assertEqual(self.snapshots(), [])
        self.forebay("offers", "update", "--catalog", folder.parent, check=0)
        self.assertEqual(len(self.snapshots()), 1)
        os.utime(folder / "vms.csv", (0, 0))  # a file of 1970 has no date that prices can have
        result = self.forebay("offers", "update", "--catalog", folder.parent)
        self.assertEqual((result.code, len(self.snapshots())), (2, 1), result.err)

    def test_one_bad_list_does_not_keep_the_others_back(self):
        for provider, text in (("acme", catalogue()), ("bad", "nonsense\n"), ("other", catalogue())):
            (self.work / "v8" / provider).mkdir(parents=True)
            (self.work / "v8" / provider / "vms.csv").write_text(text)
        result = self.forebay("offers", "update", "--catalog", "v8", "--json")
        self.assertEqual((result.code, len(self.snapshots())), (2, 2))
        self.assertEqual([("error" in update, update["provider"]) for update in result.json["updates"]], [(False, "acme"), (True, "bad"), (False, "other")])

    def test_azure_pages_are_followed(self):
        self.forebay("offers", "update", "--azure", "--azure-url", self.server.url + "/azure/prices", check=0)
        offer = self.forebay("offers", "--instance", "Standard_NC40ads_H100_v5", "--region", "eastus", "--json", check=0).json["offers"][0]
        self.assertEqual((offer["on_demand_per_hour"], offer["spot_per_hour"], offer["gpu"], offer["gpu_memory_mib"]), (7.25, 3.5, "H100-NVL-94GB", 95830))
        self.assertIn("%20and%20", self.server.asked[0][0])
