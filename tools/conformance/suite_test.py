"""What the suite does when a UPF or the bench misbehaves. It needs no UPF, no interfaces and no root:

    python3 -m unittest discover -s tools/conformance -p suite_test.py"""

import contextlib
import importlib.util
import io
import json
import os
import queue
import socket
import sys
import tempfile
import threading
import types
import unittest
from unittest import mock

here = os.path.dirname(os.path.abspath(__file__))
spec = importlib.util.spec_from_file_location("conformance", os.path.join(here, "__main__.py"))
conformance = importlib.util.module_from_spec(spec)
spec.loader.exec_module(conformance)

import bench  # noqa: E402
import check_qer  # noqa: E402
import outcome  # noqa: E402
import smf  # noqa: E402

OPTIONS = ["--n4", "10.0.4.2", "--smf", "10.0.4.1", "--n3", "10.0.3.2", "--gnb", "10.0.3.1", "--n3-interface", "lo",
           "--n6", "10.0.6.2", "--dn", "10.0.6.1", "--n6-interface", "lo", "--ue-pool", "10.45.0.0/16"]


class FakeSocket:
    """A socket that receives what a test puts into it, and keeps what is sent."""

    def __init__(self):
        self.received, self.sent = queue.Queue(), queue.Queue()

    def bind(self, address):
        pass

    def recvfrom(self, size):
        return self.received.get()

    def recvmsg(self, size, more):
        return self.received.get(), [], 0, ("lo", 0, 0)

    def sendto(self, octets, address):
        self.sent.put(octets)

    def send(self, octets):
        self.sent.put(octets)


class FakeBench:
    """A bench whose UPF does nothing."""

    def __init__(self):
        self.running, self.late, self.patience, self.lost = "", {}, 0, []
        self.plain = self.control = mock.Mock()
        self.smf = mock.Mock(answer=lambda *_: True, recovery=1, next=lambda: 1)

    def user(self):
        return mock.Mock()

    def sweep(self):
        return []


def main(*options, bench=FakeBench, checks=()):
    """The exit status and what the program prints, with these options and checks."""
    said = io.StringIO()
    with mock.patch.object(sys, "argv", ["conformance", *OPTIONS, *options]), mock.patch.object(conformance, "Bench", lambda a: bench()), \
            mock.patch.object(conformance, "CHECKS", list(checks)), contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        try:
            return conformance.main(), said.getvalue()
        except (SystemExit, KeyboardInterrupt) as e:
            return getattr(e, "code", "interrupted"), said.getvalue()


def passes(b):
    pass


def interrupts(b):
    raise KeyboardInterrupt


def fails(b):
    raise outcome.Wrong("the packet is not there")


def check(name, run):
    return outcome.Check(name, "1.2.3", "a title", run, False)


class Statuses(unittest.TestCase):
    def test_bad_options(self):
        """An option that cannot be used ends the program with 2, before anything is sent, and says which it is."""
        for option, value in (("--only", "("), ("--skip", "*"), ("--n3", "10.0.3"), ("--ue-pool", "10.45.0.0/30"), ("--ue-pool6", "10.0.0.0/8"),
                              ("--hosts", "2001:db8::/64"), ("--n3-interface", "no-such"), ("--smf2", "here")):
            status, said = main(option, value)
            self.assertEqual((status, option + ":" in said), (2, True), said)

    def test_unwritable(self):
        status, said = main("--json", "/proc/no/such/file", checks=[check("a", passes)])
        self.assertEqual(status, 2, said)
        self.assertNotIn("a title", said)

    def test_fault_of_the_suite(self):
        def broken():
            raise KeyError("mac")
        status, said = main(bench=broken)
        self.assertEqual((status, "KeyError" in said), (2, True), said)

    def test_failed_and_passed(self):
        self.assertEqual(main(checks=[check("a", passes)])[0], 0)
        self.assertEqual(main(checks=[check("a", fails), check("b", passes)])[0], 1)


class Rows(unittest.TestCase):
    def test_interrupted(self):
        """What was found before an interruption is printed, and in the file."""
        with tempfile.NamedTemporaryFile("r") as file:
            status, said = main("--json", file.name, checks=[check("a", passes), check("b", fails), check("c", interrupts), check("d", passes)])
            self.assertEqual(status, "interrupted")
            self.assertEqual([(r["name"], r["result"]) for r in json.load(file)["checks"]], [("a", "pass"), ("b", "fail")])
        self.assertIn("2 checks in", said)

    def test_no_plain_session(self):
        """The checks that precede the plain session are reported, also when it does not forward."""
        def deaf():
            b = FakeBench()
            b.smf.associate = lambda: fails(b)
            return b
        status, said = main(bench=deaf, checks=[check("n4.heartbeat", fails)])
        self.assertEqual(status, 2, said)
        self.assertIn("n4.heartbeat", said)
        self.assertIn("the plain session does not forward", said)

    def test_odd_answer(self):
        """An answer that lacks what a check takes from it fails the check; the others follow. So does a UPF that is away after it."""
        def odd(b):
            return None.seid

        def away():
            b = FakeBench()
            b.smf.send = mock.Mock(side_effect=OSError("no route to host"))
            return b
        status, said = main(checks=[check("a", odd), check("b", passes)])
        self.assertEqual((status, "2 checks" in said, "1 pass, 1 fail" in said), (1, True, True), said)
        status, said = main(bench=away, checks=[check("a", odd), check("b", passes)])
        self.assertEqual((status, "1 fail" in said, "1 skipped" in said), (1, True, True), said)


class Malformed(unittest.TestCase):
    def test_message(self):
        """A message that cannot be read is kept for the check that runs, and the next one is answered."""
        fake = FakeSocket()
        with mock.patch.object(smf.socket, "socket", lambda *_: fake):
            played = smf.SMF("10.0.4.1", "10.0.4.2", 1)
        fake.received.put((b"\x21\x38\0\x0c\0\0", ("10.0.4.2", 8805)))
        fake.received.put((b"\x20\x01\0\x0c\0\0\x07\0\0\x60\0\4\0\0\0\1", ("10.0.4.2", 8805)))  # Heartbeat Request 7
        self.assertEqual(fake.sent.get(timeout=10)[:8], b"\x20\x02\0\x0c\0\0\x07\0")
        self.assertIn("cannot be read", played.taken()[0])
        self.assertEqual(played.taken(), [])

    def test_fails_the_check(self):
        b = FakeBench()
        b.sweep = lambda: ["a message cannot be read"]
        self.assertEqual(conformance.outcome(check("a", passes), b), ("fail", "a message cannot be read"))
        self.assertEqual(conformance.outcome(check("a", fails), b), ("fail", "the packet is not there; a message cannot be read"))

    def test_frame(self):
        """A frame that is cut in its ARP header does not end the thread that receives."""
        link = bench.Link.__new__(bench.Link)
        link.socket, link.played, link.mac = FakeSocket(), {"10.0.3.1"}, "02:00:00:00:00:01"
        link.frames, link.news = [], threading.Condition()
        threading.Thread(target=link._receive, daemon=True).start()
        arp = b"\xff" * 6 + b"\2\0\0\0\0\2" + b"\x08\x06\0\1\x08\0\6\4\0\1"
        link.socket.received.put(arp)
        link.socket.received.put(b"\2\0\0\0\0\1\2\0\0\0\0\2\x08\0good")
        self.assertIsNotNone(link.find(lambda f: f.endswith(b"good"), 0, 10))
        link.socket.received.put(arp + b"\2\0\0\0\0\2" + socket.inet_aton("10.0.3.2") + b"\0" * 6 + socket.inet_aton("10.0.3.1"))
        answer = link.socket.sent.get(timeout=10)
        self.assertEqual(answer[20:22], b"\0\2")
        self.assertEqual(len(answer), 60, "a short frame has no padding")


class Rate(unittest.TestCase):
    """A UPF that holds packets for its rate sends on while the bench waits: the bound is of that time, too."""

    def offered(self, passed, last):
        """What a check finds when so many packets of 1200 octets come out, the last one so many seconds after the start."""
        frames = [types.SimpleNamespace(at=last) for _ in range(passed)]
        link = mock.Mock(count=lambda: 0, settle=lambda *_: frames)
        b = mock.Mock(n3=link, n6=mock.Mock(), patience=5, from_dn=lambda p: p)
        clock = types.SimpleNamespace(monotonic=lambda: 0.0)  # sending takes no time
        with mock.patch.object(check_qer, "raw", lambda p: p), mock.patch.object(check_qer, "time", clock):
            check_qer.bounded(*check_qer.offer(mock.Mock(b=b), True, [b""] * 10), 125_000)

    def test_bound(self):
        self.offered(int((3 + 4) * 125_000 / 1200), 4)
        with self.assertRaises(outcome.Wrong):
            self.offered(int((3 + 4) * 125_000 / 1200) + 100, 4)
        with self.assertRaises(outcome.Wrong):
            self.offered(int((3 + 4) * 125_000 / 1200), 1)


if __name__ == "__main__":
    unittest.main()
