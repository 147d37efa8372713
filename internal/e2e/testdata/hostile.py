#!/usr/bin/env python3
"""Attack a UPF as a UE, a host on N6, a second SMF and a gNB, with scapy, while
an SMF uses it: nothing that the attackers do may change what the SMF has.

Run it as peer.py, with 192.168.14.112 on n4 and 192.168.13.132 on n3 besides. It
prints each step and ends with status 1 at the first that fails."""

import json
import socket
import sys
import time
import urllib.request

sys.dont_write_bytecode = True

from peer import (ACCEPTED, DL_TEID, DN, GNB, QFI, SMF, UE, UL_TEID, UPF_N3, UPF_N4, UPF_N6, Client, cause, check, far,
                  g_pdu, gtp, inner, pfcp, sent, session, uplink)
from scapy.all import IP, UDP, Ether, Raw, getmacbyip, raw, sendp

OTHER_SMF, OTHER_GNB = "192.168.14.112", "192.168.13.132"


class Answering(Client):
    """An SMF that answers heartbeats, as they do: the UPF sends one when somebody
    else claims the SMF's Node ID."""

    def ask(self, message, seid=None):
        self.socket.settimeout(0.2)
        try:
            while True:
                self.answer(self.socket.recv(4096))
        except socket.timeout:
            self.socket.settimeout(5)
        return super().ask(message, seid)

    def answer(self, octets):
        request = pfcp.PFCP(octets)
        check("what the SMF was not asked for is a heartbeat", pfcp.PFCPHeartbeatRequest in request, request.summary())
        self.socket.sendto(raw(pfcp.PFCP(version=1, seq=request.seq) / pfcp.PFCPHeartbeatResponse(
            IE_list=[pfcp.IE_RecoveryTimeStamp(timestamp=3900000000)])), (UPF_N4, 8805))


def release(node=SMF):
    return raw(pfcp.PFCP(version=1, seq=99) / pfcp.PFCPAssociationReleaseRequest(
        IE_list=[pfcp.IE_NodeId(id_type="IPv4", ipv4=node)]))


def setup(node):
    return pfcp.PFCPAssociationSetupRequest(IE_list=[
        pfcp.IE_NodeId(id_type="IPv4", ipv4=node), pfcp.IE_RecoveryTimeStamp(timestamp=3900000000)])


def drops():
    with urllib.request.urlopen("http://%s:9080/counters" % UPF_N4, timeout=5) as answer:
        return json.load(answer)["datapath"]["drops"]


def counted(reason, before):
    check("counted as %r" % reason, drops().get(reason, 0) > before.get(reason, 0), str(drops()))


def intact(smf, seid, what):
    """The SMF's session is there and forwards."""
    answer = smf.ask(pfcp.PFCPSessionModificationRequest(IE_list=[
        pfcp.IE_UpdateFAR(IE_list=far(1, pfcp.IE_ApplyAction(FORW=1)))]), seid=seid)
    check("after %s the session can be modified" % what, cause(answer) == ACCEPTED, answer.show(dump=True))
    uplink(inner(UE, DN))


def ue(smf, seid):
    before = drops()
    for address in UPF_N4, UPF_N3, UPF_N6:
        sendp(g_pdu(UL_TEID, IP(raw(IP(src=UE, dst=address) / UDP(sport=8805, dport=8805) / Raw(release())))), iface="n3")
    time.sleep(0.2)
    intact(smf, seid, "PFCP from a UE")
    counted("UE packet to the UPF itself", before)
    before = drops()
    probe = IP(raw(IP(src=UE, dst=SMF) / UDP(sport=8805, dport=8805) / Raw(release())))
    got = sent(g_pdu(UL_TEID, probe), "n3", "n4", lambda f: IP in f and f[IP].src == UE, 1)
    check("a UE's packet does not reach the SMF", got is None)
    counted("UE packet not towards N6", before)
    before = drops()
    tunnel = IP(raw(IP(src=UE, dst=DN) / UDP(sport=2152, dport=2152) / gtp.GTP_U_Header(teid=DL_TEID) / inner(UE, DN)))
    got = sent(g_pdu(UL_TEID, tunnel), "n3", "n6", lambda f: UDP in f and f[UDP].dport == 2152, 1)
    check("GTP-U in GTP-U is not forwarded", got is None)
    counted("GTP-U in GTP-U", before)


def host_on_n6(smf, seid):
    before = drops()
    for source in DN, SMF:
        sendp(Ether(dst=getmacbyip(UPF_N6)) / IP(src=source, dst=UPF_N4) / UDP(sport=8805, dport=8805) / Raw(release()),
              iface="n6")
    time.sleep(0.2)
    intact(smf, seid, "PFCP from N6")
    counted("PFCP not from N4", before)
    before = drops()
    got = sent(Ether(dst=getmacbyip(UPF_N6)) / IP(src=DN, dst=GNB) / UDP(sport=7, dport=7) / Raw(b"past"), "n6", "n3",
               lambda f: IP in f and f[IP].src == DN and f[UDP].dport == 7, 1)
    check("a host on N6 does not reach a gNB", got is None)
    counted("IP without a tunnel", before)


def plain_from_n3(smf, seid):
    before = drops()
    got = sent(Ether(dst=getmacbyip(UPF_N3)) / inner(UE, DN), "n3", "n6", lambda f: IP in f and f[IP].src == UE, 1)
    check("IP without a tunnel is not forwarded from N3", got is None)
    counted("IP without a tunnel", before)


def second_smf(smf, seid):
    other = Client.__new__(Client)
    other.socket, other.seq = socket.socket(socket.AF_INET, socket.SOCK_DGRAM), 0x100
    other.socket.bind((OTHER_SMF, 8805))
    other.socket.settimeout(5)
    for what, message, to, want in (
        ("release", pfcp.PFCPAssociationReleaseRequest(IE_list=[pfcp.IE_NodeId(id_type="IPv4", ipv4=SMF)]), None, 72),
        ("deletion", pfcp.PFCPSessionDeletionRequest(), seid, 65),
        ("modification", pfcp.PFCPSessionModificationRequest(IE_list=[
            pfcp.IE_UpdateFAR(IE_list=far(1, pfcp.IE_ApplyAction(DROP=1)))]), seid, 65),
        ("session of the first's", session(), 0, 72),
        ("set-up as the first", setup(SMF), None, 64),
        ("set-up as itself", setup(OTHER_SMF), None, ACCEPTED),
    ):
        answer = other.ask(message, seid=to)
        check("a second SMF's %s has cause %d" % (what, want), cause(answer) == want, answer.show(dump=True))
    other.socket.close()
    time.sleep(0.7)  # until the heartbeat has come
    intact(smf, seid, "a second SMF")


def forged_broadcast(smf, seid):
    """An answer to a subnet's broadcast address would go to all hosts of the link."""
    unknown = gtp.GTP_U_Header(teid=0x0DEAD000, gtp_type=255) / inner(UE, DN)
    heartbeat = pfcp.PFCP(version=1, seq=98) / pfcp.PFCPHeartbeatRequest(IE_list=[pfcp.IE_RecoveryTimeStamp(timestamp=1)])
    for what, link, upf, port, message in (
        ("an Echo Request", "n3", UPF_N3, 2152, gtp.GTPHeader(S=1, gtp_type=1, seq=7) / gtp.GTPEchoRequest()),
        ("a G-PDU for no tunnel", "n3", UPF_N3, 2152, unknown),
        ("a heartbeat", "n4", UPF_N4, 8805, heartbeat),
    ):
        source = upf.rsplit(".", 1)[0] + ".255"
        frame = Ether(dst=getmacbyip(upf)) / IP(src=source, dst=upf) / UDP(sport=port, dport=port) / message
        got = sent(frame, link, link, lambda f: IP in f and f[IP].dst == source, 1)
        check("%s from a broadcast address has no answer" % what, got is None)
    intact(smf, seid, "messages from broadcast addresses")


def frames_to_others(smf, seid):
    for mac in "02:00:00:00:00:99", "ff:ff:ff:ff:ff:ff", "01:00:5e:00:00:01":
        frame = g_pdu(UL_TEID, inner(UE, DN))
        frame[Ether].dst = mac
        got = sent(frame, "n3", "n6", lambda f: IP in f and f[IP].src == UE, 1)
        check("a G-PDU in a frame to %s is not forwarded" % mac, got is None)
    intact(smf, seid, "frames to others")


def gnb_that_floods(smf, seid):
    unknown = gtp.GTP_U_Header(teid=0x0DEAD000, gtp_type=255) / inner(UE, DN)
    frame = Ether(dst=getmacbyip(UPF_N3)) / IP(src=GNB, dst=UPF_N3) / UDP(sport=2152, dport=2152) / unknown
    sendp([frame] * 1500, iface="n3")
    quiet = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    quiet.bind((OTHER_GNB, 2152))
    quiet.settimeout(5)
    quiet.sendto(raw(unknown), (UPF_N3, 2152))
    answer = gtp.GTPHeader(quiet.recv(2048))
    check("while one gNB floods, another has its Error Indication", answer.gtp_type == 26, raw(answer).hex())
    quiet.close()
    intact(smf, seid, "a flood")


def main():
    smf = Answering()
    answer = smf.ask(setup(SMF))
    check("association is accepted", cause(answer) == ACCEPTED, answer.show(dump=True))
    answer = smf.ask(session(), seid=0)
    check("session is accepted", cause(answer) == ACCEPTED, answer.show(dump=True))
    seid = answer[pfcp.IE_FSEID].seid
    uplink(inner(UE, DN))
    for attack in ue, host_on_n6, plain_from_n3, second_smf, forged_broadcast, frames_to_others, gnb_that_floods:
        attack(smf, seid)


if __name__ == "__main__":
    main()
