"""Each fault alters a frame that scapy made, and leaves what it is not about; run by `python3 -m unittest discover -s tools/faults -p faults_test.py`."""

import unittest

from scapy.all import IP, UDP, IPv6, Ether, IPOption_Router_Alert, Raw, raw
from scapy.contrib.gtp import GTP_PDCP_PDU_ExtensionHeader, GTP_U_Header, GTPPDUSessionContainer  # noqa: F401
from scapy.contrib.pfcp import *  # noqa: F403

from catalog import ROWS, TESTER, UPF
from wire import Frame, checksum, elements, finished, header_size

TOP = Ether(dst="02:00:00:00:00:02", src="02:00:00:00:00:01")


def on_n6(**ip):
    options = ip.pop("options", [])
    port = ip.pop("port", 5000)
    return raw(TOP / IP(src="10.45.0.2", dst="10.100.6.1", tos=0x2a, id=7, options=options, **ip) / UDP(sport=4000, dport=port) / Raw(b"abcd" * 20))


def on_n3(kind, teid=0x40001, size=80):
    inner = IP(src="10.100.6.1", dst="10.45.0.2", tos=0x2a) / UDP(sport=5000, dport=4000) / Raw(b"a" * size)
    ie = b"\x10\0\0\0\x07\x85\0\x04\x0a\x64\x03\x02" if kind == 26 else b"\x0e\0"
    message = (GTP_U_Header(gtp_type=255, teid=teid, E=1, next_ex=0x85) / GTPPDUSessionContainer(type=0, RQI=1, QFI=9) / inner if kind == 255
               else GTP_U_Header(gtp_type=kind, teid=teid, S=1, seq=77) / Raw(b"" if kind == 254 else ie))
    return raw(TOP / IP(src="10.100.3.2", dst="10.100.3.1", tos=0xb8) / UDP(sport=2152, dport=2152) / message)


def on_n4(message, seid, towards):
    a, b = ("10.100.4.2", "10.100.4.1") if towards == TESTER else ("10.100.4.1", "10.100.4.2")
    return raw(TOP / IP(src=a, dst=b) / UDP(sport=8805, dport=8805) / PFCP(S=int(seid is not None), seid=seid or 0, seq=9) / message)


def tlv(kind, value):
    return kind.to_bytes(2, "big") + len(value).to_bytes(2, "big") + value


def session(kind, *ies):
    """A session message whose IEs are given as octets."""
    b = b"".join(ies)
    return raw(TOP / IP(src="10.100.4.1", dst="10.100.4.2") / UDP(sport=8805, dport=8805) /
               Raw(b"\x21" + bytes([kind]) + (12 + len(b)).to_bytes(2, "big") + (5).to_bytes(8, "big") + b"\0\0\x09\0" + b))


def rules():
    pdi = tlv(2, tlv(20, b"\0") + tlv(23, b"\1\0" + len(FLOW).to_bytes(2, "big") + FLOW))
    pdr = tlv(1, tlv(56, b"\0\1") + tlv(29, b"\0\0\0\x64") + pdi)
    far = tlv(3, tlv(108, b"\0\0\0\1") + tlv(44, b"\2") + tlv(4, tlv(42, b"\0") + tlv(30, b"\xb8\xfc")))
    qer = tlv(7, tlv(109, b"\0\0\0\1") + tlv(25, b"\5") + tlv(26, (1000).to_bytes(5, "big") * 2))
    urr = tlv(6, tlv(81, b"\0\0\0\1") + tlv(31, b"\1" + (9000).to_bytes(8, "big")) + tlv(73, b"\1" + (9000).to_bytes(8, "big")) +
              tlv(32, b"\0\0\0\3") + tlv(64, b"\0\0\0\3"))
    return pdr + far + qer + urr


FLOW = b"permit out 17 from 10.100.6.1 5000-5010 to assigned"
VOLUME = tlv(66, b"\7" + b"".join(n.to_bytes(8, "big") for n in (3000, 1000, 2000)))
USED = tlv(81, b"\0\0\0\1") + tlv(104, b"\0\0\0\5") + tlv(63, b"\2\0\0") + tlv(75, b"\xe0\0\0\0") + tlv(76, b"\xe0\0\0\x09") + tlv(67, b"\0\0\0\3") + VOLUME
NODE = tlv(60, b"\0\x0a\x64\4\2")
FRAMES = {
    ("n6", TESTER): [on_n6(), on_n6(options=[IPOption_Router_Alert()]), on_n6(flags="MF"), on_n6(port=53)],
    ("n3", TESTER): [on_n3(255), on_n3(254), on_n3(2), on_n3(26), on_n3(255, size=1400)],
    ("n4", TESTER): [
        on_n4(PFCPHeartbeatResponse(IE_list=[IE_RecoveryTimeStamp(timestamp=3900000000)]), None, TESTER),
        session(51, NODE, tlv(19, b"\1"), tlv(57, b"\2" + bytes(8) + b"\x0a\x64\4\2"), tlv(8, tlv(56, b"\0\1") + tlv(21, b"\1\0\0\0\7\x0a\x64\3\2"))),
        session(53, tlv(19, b"\x49"), tlv(114, b"\1\0\0\0\7")), session(53, tlv(19, b"\1"), tlv(78, USED)),
        session(55, tlv(19, b"\1"), tlv(79, USED)), session(56, tlv(39, b"\2"), tlv(80, USED)),
        session(56, tlv(39, b"\1"), tlv(83, tlv(56, b"\0\2")))],
    ("n4", UPF): [session(50, rules()), session(52, tlv(49, b"\1"), tlv(14, tlv(109, b"\0\0\0\1") + tlv(25, b"\5")),
                                               tlv(10, tlv(108, b"\0\0\0\1") + tlv(11, tlv(84, b"\1\0" + bytes(8))))), session(50, rules())],
}


class Faults(unittest.TestCase):
    def test_each_does_something(self):
        for row in ROWS:
            ask = row.make()
            changed = False
            for _ in range(800):
                for (link, towards), frames in FRAMES.items():
                    if row.towards != towards or row.link and row.link != link:
                        continue
                    for octets in frames:
                        made = ask(Frame(octets))
                        changed = changed or made is not None and made != [octets]
                if changed:
                    break
            self.assertTrue(changed, row.name + " changes nothing")

    def test_lengths_and_checksums_fit(self):
        """What a fault does not name stays right: outer lengths, header checksums, and the lengths of IEs."""
        for row in ROWS:
            if row.name in ("uplink.checksum", "tunnel.ip-checksum", "uplink.altered"):
                continue
            ask = row.make()
            for (link, towards), frames in FRAMES.items():
                if row.towards != towards or row.link and row.link != link:
                    continue
                for octets in frames:
                    for made in ask(Frame(octets)) or []:
                        octets_made = made if isinstance(made, bytes) else made[1]
                        f = Frame(octets_made)
                        self.assertEqual(len(f.ip), len(octets_made) - 14, row.name)
                        self.assertEqual(checksum(f.ip[:(f.ip[0] & 15) * 4]), 0, row.name)
                        if f.pfcp() is not None and row.link == "n4":
                            m = f.pfcp()
                            self.assertEqual(int.from_bytes(m[2:4], "big"), len(m) - 4, row.name)
                            self.assertEqual(sum(4 + len(v) for _, v in elements(m[header_size(m):])), len(m) - header_size(m), row.name)

    def test_unfinished_checksums(self):
        """The checksum that a veth leaves open is what scapy computes."""
        for packet in (IP(src="10.1.0.1", dst="10.1.0.2") / UDP(sport=1, dport=8805) / Raw(b"odd"), IPv6(src="2001:db8::1", dst="2001:db8::2") / UDP(sport=1, dport=2152) / Raw(b"even")):
            whole = raw(TOP / packet)
            at = 14 + (40 if packet.version == 6 else 20) + 6
            self.assertEqual(finished(whole[:at] + b"\x12\x34" + whole[at + 2:]), whole)

    def test_names(self):
        self.assertEqual(len({r.name for r in ROWS}), len(ROWS))


if __name__ == "__main__":
    unittest.main()
