#!/usr/bin/env python3
"""Be the SMF, the gNB and the data network of a UPF, with scapy's own PFCP and
GTP-U, and compare what the UPF forwards with what the rules ask for.

Run it in a network namespace with n3, n4 and n6 as the end-to-end tests make
it. It prints each step and ends with status 1 at the first that fails."""

import socket
import sys
import time

from scapy.all import Ether, IP, UDP, Raw, conf, getmacbyip, sendp, raw
from scapy.contrib import gtp, pfcp

GNB, UPF_N3 = "192.168.13.131", "192.168.13.151"
SMF, UPF_N4 = "192.168.14.111", "192.168.14.151"
DN, UPF_N6 = "192.168.16.152", "192.168.16.151"
UE, STRANGER = "10.45.0.2", "10.45.0.99"
UL_TEID, DL_TEID, QFI = 0x00C0FFEE, 0x0BADCAFE, 9
ACCEPTED = 1
ETH_P_ALL = 3

conf.verb = 0


def check(what, ok, detail=""):
    print(("ok    " if ok else "WRONG ") + what, detail if not ok else "", flush=True)
    if not ok:
        sys.exit(1)


class Client:
    """The SMF: one request, one answer with the same sequence number."""

    def __init__(self):
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((SMF, 8805))
        self.socket.settimeout(5)
        self.seq = 0x4711

    def ask(self, message, seid=None):
        self.seq += 1
        header = pfcp.PFCP(version=1, seq=self.seq)
        if seid is not None:
            header = pfcp.PFCP(version=1, S=1, seid=seid, seq=self.seq)
        self.socket.sendto(raw(header / message), (UPF_N4, 8805))
        answer = pfcp.PFCP(self.socket.recv(4096))
        check("answer to %s has its sequence number" % message.name, answer.seq == self.seq, answer.summary())
        return answer


def cause(answer):
    return answer[pfcp.IE_Cause].cause


def far(number, action, **forward):
    parts = [pfcp.IE_FAR_Id(id=number), action]
    if forward:
        parts.append(pfcp.IE_ForwardingParameters(IE_list=forward["to"]))
    return parts


def session():
    """Two PDRs, two FARs and a QER, as an SMF asks for one QoS flow."""
    uplink = pfcp.IE_CreatePDR(IE_list=[
        pfcp.IE_PDR_Id(id=1), pfcp.IE_Precedence(precedence=100),
        pfcp.IE_PDI(IE_list=[
            pfcp.IE_SourceInterface(interface="Access"),
            pfcp.IE_FTEID(V4=1, TEID=UL_TEID, ipv4=UPF_N3),
            pfcp.IE_NetworkInstance(instance="internet"),
            pfcp.IE_UE_IP_Address(V4=1, ipv4=UE),
            pfcp.IE_QFI(QFI=QFI),
        ]),
        pfcp.IE_OuterHeaderRemoval(header="GTP-U/UDP/IPv4"),
        pfcp.IE_FAR_Id(id=1), pfcp.IE_QER_Id(id=1),
    ])
    downlink = pfcp.IE_CreatePDR(IE_list=[
        pfcp.IE_PDR_Id(id=2), pfcp.IE_Precedence(precedence=100),
        pfcp.IE_PDI(IE_list=[
            pfcp.IE_SourceInterface(interface="Core"),
            pfcp.IE_NetworkInstance(instance="internet"),
            pfcp.IE_UE_IP_Address(SD=1, V4=1, ipv4=UE),
        ]),
        pfcp.IE_FAR_Id(id=2), pfcp.IE_QER_Id(id=1),
    ])
    to_dn = far(1, pfcp.IE_ApplyAction(FORW=1), to=[pfcp.IE_DestinationInterface(interface="Core")])
    to_gnb = far(2, pfcp.IE_ApplyAction(FORW=1), to=[
        pfcp.IE_DestinationInterface(interface="Access"),
        pfcp.IE_OuterHeaderCreation(GTPUUDPIPV4=1, TEID=DL_TEID, ipv4=GNB),
    ])
    return pfcp.PFCPSessionEstablishmentRequest(IE_list=[
        pfcp.IE_NodeId(id_type="IPv4", ipv4=SMF),
        pfcp.IE_FSEID(v4=1, seid=0x1234, ipv4=SMF),
        uplink, downlink,
        pfcp.IE_CreateFAR(IE_list=to_dn), pfcp.IE_CreateFAR(IE_list=to_gnb),
        pfcp.IE_CreateQER(IE_list=[pfcp.IE_QER_Id(id=1), pfcp.IE_GateStatus(ul="OPEN", dl="OPEN"), pfcp.IE_QFI(QFI=QFI)]),
    ])


def inner(source, destination):
    return IP(raw(IP(src=source, dst=destination, ttl=61) / UDP(sport=4321, dport=1234) / Raw(b"upflab and scapy " * 20)))


def g_pdu(teid, packet, qfi=QFI):
    """A G-PDU of the gNB: PDU type 1, uplink."""
    return (Ether(dst=getmacbyip(UPF_N3)) / IP(src=GNB, dst=UPF_N3) / UDP(sport=2152, dport=2152, chksum=0)
            / gtp.GTP_U_Header(teid=teid, E=1, next_ex=0x85)
            / gtp.GTPPDUSessionContainer(type=1, QFI=qfi) / packet)


def forwarded(packet):
    """What a router makes of an IP packet: one hop less, a new checksum."""
    out = packet.copy()
    out.ttl -= 1
    del out.chksum
    return raw(IP(raw(out)))


def sent(frame, leaves, arrives, wanted, seconds=3):
    """Send a frame and give the first that is wanted on the other side."""
    with socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL)) as there:
        there.bind((arrives, ETH_P_ALL))
        sendp(frame, iface=leaves)
        end = time.monotonic() + seconds
        while (left := end - time.monotonic()) > 0:
            there.settimeout(left)
            try:
                got = Ether(there.recv(4096))
            except socket.timeout:
                return None
            if wanted(got):
                return got
    return None


def from_ue(frame):
    return IP in frame and frame[IP].src == UE and frame[UDP].dport == 1234


def to_gnb(frame):
    return UDP in frame and frame[IP].dst == GNB and frame[UDP].dport == 2152


def uplink(packet):
    got = sent(g_pdu(UL_TEID, packet), "n3", "n6", from_ue)
    check("uplink packet arrives in the data network", got is not None)
    check("uplink packet is whole, one hop on", raw(got[IP])[: len(packet)] == forwarded(packet), raw(got).hex())


def downlink(packet):
    got = sent(Ether(dst=getmacbyip(UPF_N6)) / packet, "n6", "n3", to_gnb)
    check("downlink packet arrives at the gNB", got is not None)
    outer = got[IP]
    check("outer addresses and ports", (outer.src, outer.dst, got[UDP].sport, got[UDP].dport) == (UPF_N3, GNB, 2152, 2152), raw(got).hex())
    check("outer IP checksum", raw(IP(raw(outer)))[10:12] == checksum(outer), raw(got).hex())
    header = gtp.GTP_U_Header(raw(got[UDP].payload))
    check("G-PDU with the gNB's TEID", (header.version, header.PT, header.gtp_type, header.teid) == (1, 1, 255, DL_TEID), raw(header).hex())
    container = header[gtp.GTPPDUSessionContainer]
    check("PDU session container: downlink, QFI", (container.type, container.QFI) == (0, QFI), raw(header).hex())
    check("downlink packet is whole, one hop on", raw(container.payload) == forwarded(packet), raw(header).hex())
    check("GTP-U length", header.length == len(raw(header)) - 8, raw(header).hex())


def checksum(ip):
    fresh = ip.copy()
    del fresh.chksum
    return raw(IP(raw(fresh)))[10:12]


def refused(name, packet, teid=UL_TEID, qfi=QFI):
    check(name + " is not forwarded", sent(g_pdu(teid, packet, qfi), "n3", "n6", lambda f: UDP in f and f[UDP].dport == 1234, 1) is None)


def error_indication():
    """TS 29.281 clause 7.3.1: a G-PDU that nobody knows is answered."""
    gnb = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    gnb.bind((GNB, 2152))
    gnb.settimeout(5)
    gnb.sendto(raw(g_pdu(0x0DEAD000, inner(UE, DN))[gtp.GTP_U_Header]), (UPF_N3, 2152))
    answer = gtp.GTPHeader(gnb.recv(2048))
    check("unknown TEID is answered by an Error Indication", answer.gtp_type == 26, raw(answer).hex())
    check("which names the TEID", (0x0DEAD000).to_bytes(4, "big") in raw(answer)[12:], raw(answer).hex())
    gnb.sendto(raw(gtp.GTPHeader(gtp_type=1, teid=0, S=1, seq=77) / gtp.GTPEchoRequest()), (UPF_N3, 2152))
    answer = gtp.GTPHeader(gnb.recv(2048))
    check("echo is answered", (answer.gtp_type, answer.seq) == (2, 77), raw(answer).hex())
    gnb.close()


def main():
    smf = Client()
    answer = smf.ask(pfcp.PFCPHeartbeatRequest(IE_list=[pfcp.IE_RecoveryTimeStamp(timestamp=3900000000)]))
    check("heartbeat is answered", pfcp.PFCPHeartbeatResponse in answer, answer.summary())
    answer = smf.ask(session(), seid=0)
    check("no session without association (cause 72)", cause(answer) == 72, answer.show(dump=True))
    answer = smf.ask(pfcp.PFCPAssociationSetupRequest(IE_list=[
        pfcp.IE_NodeId(id_type="IPv4", ipv4=SMF), pfcp.IE_RecoveryTimeStamp(timestamp=3900000000)]))
    check("association is accepted", cause(answer) == ACCEPTED, answer.show(dump=True))

    refused("G-PDU before the session", inner(UE, DN))
    answer = smf.ask(session(), seid=0)
    check("session is accepted", cause(answer) == ACCEPTED, answer.show(dump=True))
    check("the answer goes to the SMF's SEID", answer.seid == 0x1234, hex(answer.seid))
    seid = answer[pfcp.IE_FSEID].seid

    uplink(inner(UE, DN))
    downlink(inner(DN, UE))
    refused("another UE's address in the tunnel", inner(STRANGER, DN))
    error_indication()

    answer = smf.ask(pfcp.PFCPSessionModificationRequest(IE_list=[
        pfcp.IE_UpdateFAR(IE_list=far(1, pfcp.IE_ApplyAction(DROP=1)))]), seid=seid)
    check("modification is accepted", cause(answer) == ACCEPTED, answer.show(dump=True))
    refused("uplink packet of a FAR that drops", inner(UE, DN))
    downlink(inner(DN, UE))

    answer = smf.ask(pfcp.PFCPSessionDeletionRequest(), seid=seid)
    check("deletion is accepted", cause(answer) == ACCEPTED, answer.show(dump=True))
    check("downlink packet without a session is not forwarded",
          sent(Ether(dst=getmacbyip(UPF_N6)) / inner(DN, UE), "n6", "n3", to_gnb, 1) is None)
    answer = smf.ask(pfcp.PFCPSessionDeletionRequest(), seid=seid)
    check("a session that is gone is not found (cause 65)", cause(answer) == 65, answer.show(dump=True))


if __name__ == "__main__":
    main()
