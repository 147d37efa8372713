"""A relay on the links of a UPF that commits one fault, to see whether a tester finds it.

    python3 tools/faults --list
    python3 tools/faults tunnel.qfi --n3 l3:u3 --n4 l4:u4 --n6 l6:u6

Each link is two interfaces of this machine, or of this network namespace: the first leads to the tester, the
second to the UPF. Frames pass from one to the other, but for those of the fault. The relay shares no code with
upflab, and can stand before any UPF, and between gNBs or SMFs and whoever tests them. It needs Python 3.8 and root."""

import argparse
import difflib
import heapq
import itertools
import json
import select
import signal
import socket
import struct
import sys
import time

sys.dont_write_bytecode = True  # it runs as root, from somebody's clone

from catalog import ROWS, TESTER, UPF
from wire import Frame, finished

EVERYTHING, SOL_PACKET, IGNORE_OUTGOING, RCVBUFFORCE, SNDBUFFORCE = 3, 263, 23, 33, 32
AUXDATA, UNFINISHED = 8, 8  # of a packet, and of its status: the sender left the checksum to hardware
ROOM = 64 << 20  # octets of a socket's buffer


class Refused(Exception):
    pass


def port(interface):
    """A packet socket that receives what comes, and not what this machine sends."""
    try:
        s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(EVERYTHING))
        s.setsockopt(SOL_PACKET, IGNORE_OUTGOING, 1)
        s.setsockopt(SOL_PACKET, AUXDATA, 1)
        for buffer in (RCVBUFFORCE, SNDBUFFORCE):
            s.setsockopt(socket.SOL_SOCKET, buffer, ROOM)
        s.bind((interface, EVERYTHING))
    except PermissionError:
        raise Refused("packet sockets need root: run it with sudo")
    except OSError as e:
        raise Refused("cannot use the interface %s: %s" % (interface, e))
    s.setblocking(False)
    return s


class Relay:
    """Passes frames, and what a fault makes of them."""

    def __init__(self, links, row):
        self.ends, self.ways, self.later, self.tie = {}, {}, [], itertools.count()
        self.row, self.ask, self.hit = row, row.make() if row else None, 0
        for link, (tester, upf) in links.items():
            self.ends[link, TESTER], self.ends[link, UPF] = port(tester), port(upf)
            self.ways[self.ends[link, TESTER].fileno()] = link, UPF
            self.ways[self.ends[link, UPF].fileno()] = link, TESTER

    def send(self, link, towards, octets):
        s = self.ends.get((link, towards))
        try:
            if s:
                s.send(octets)
        except BlockingIOError:
            select.select([], [s], [], 0.01)
            try:
                s.send(octets)
            except OSError:
                pass  # it is full: a link loses packets then, too
        except OSError:
            pass  # the link is down

    def concerns(self, link, towards):
        return self.ask and (not self.row.link or self.row.link == link) and self.row.towards == towards

    def take(self, link, towards, octets):
        made = self.ask(Frame(octets)) if self.concerns(link, towards) else None
        if made is None:
            return self.send(link, towards, octets)
        self.hit += 1
        for one in made:
            if isinstance(one, tuple):
                heapq.heappush(self.later, (time.monotonic() + one[0], next(self.tie), link, towards, one[1]))
            else:
                self.send(link, towards, one)

    def run(self, until):
        poll = select.epoll()
        for s in self.ends.values():
            poll.register(s.fileno(), select.EPOLLIN)
        by_number = {s.fileno(): s for s in self.ends.values()}
        while True:
            now = time.monotonic()
            while self.later and self.later[0][0] <= now:
                self.send(*heapq.heappop(self.later)[2:])
            if now >= until:
                return
            wait = min([1.0, until - now] + [self.later[0][0] - now for _ in self.later[:1]])
            for number, _ in poll.poll(max(0, wait)):
                for _ in range(64):
                    try:
                        octets, more, _, _ = by_number[number].recvmsg(65535, 64)
                    except OSError:
                        break
                    if any(level == SOL_PACKET and kind == AUXDATA and struct.unpack_from("=I", data)[0] & UNFINISHED for level, kind, data in more):
                        octets = finished(octets)
                    self.take(*self.ways[number], octets)


def pair(text):
    tester, _, upf = text.partition(":")
    if not tester or not upf:
        raise argparse.ArgumentTypeError("give two interfaces, TESTER:UPF")
    return tester, upf


def main():
    p = argparse.ArgumentParser(prog="faults", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    p.add_argument("fault", nargs="?", help="its name, or none to pass everything")
    p.add_argument("--list", action="store_true", help="list the faults")
    p.add_argument("--json", action="store_true", help="list them as JSON, with the case of `upflab run behaviour` that names each")
    for link in ("n3", "n4", "n6"):
        p.add_argument("--" + link, type=pair, metavar="TESTER:UPF", help="the interfaces of %s" % link.upper())
    p.add_argument("--for", dest="seconds", type=float, default=float("inf"), metavar="SECONDS", help="end then; default: at Ctrl-C")
    o = p.parse_args()
    if o.list or o.json:
        return listed(o.json)
    links = {link: getattr(o, link) for link in ("n3", "n4", "n6") if getattr(o, link)}
    row = next((r for r in ROWS if r.name == o.fault), None)
    if o.fault and row is None:
        near = difflib.get_close_matches(o.fault, [r.name for r in ROWS], 3)
        p.error("there is no fault %s%s: --list shows all" % (o.fault, "; did you mean %s?" % ", ".join(near) if near else ""))
    if not links:
        p.error("give the interfaces of a link at least: --n3 TESTER:UPF")
    if row and row.link and row.link not in links:
        p.error("%s is a fault on %s: give its interfaces by --%s" % (row.name, row.link.upper(), row.link))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    try:
        relay = Relay(links, row)
    except Refused as e:
        print("faults: %s" % e, file=sys.stderr)
        return 1
    print("relaying %s, %s" % (", ".join(l.upper() for l in links), "without a fault" if row is None else "and " + row.what), flush=True)
    try:
        relay.run(time.monotonic() + o.seconds)
    except (KeyboardInterrupt, SystemExit):
        pass
    if row:
        print("%s: %d frames" % (row.name, relay.hit))
    return 0


def listed(as_json):
    if as_json:
        print(json.dumps([{"name": r.name, "what": r.what, "case": r.case} for r in ROWS], indent=1))
        return 0
    for r in ROWS:
        print("%-26s %-70s %s" % (r.name, r.what, r.case or "(a UPF may do it)"))
    return 0


if __name__ == "__main__":
    sys.exit(main())
