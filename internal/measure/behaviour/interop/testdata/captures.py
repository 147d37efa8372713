#!/usr/bin/env python3
"""Writes the captures of this folder with scapy: python3 captures.py"""
from scapy.all import (ESP, IP, TCP, UDP, Ether, Raw, fragment, wrpcap, wrpcapng)
from scapy.contrib.pfcp import *

SMF, UPF = "10.9.0.1", "10.9.0.2"
SEQ = [0]


def frame(up, message, ies, seid=None, seq=None):
    if seq is None:
        SEQ[0] += 1
        seq = SEQ[0]
    head = PFCP(version=1, S=0 if seid is None else 1, seq=seq) if seid is None else PFCP(version=1, S=1, seid=seid, seq=seq)
    src, dst = (SMF, UPF) if up else (UPF, SMF)
    p = (Ether(src="02:00:00:00:00:01", dst="02:00:00:00:00:02") / IP(src=src, dst=dst) /
         UDP(sport=8805, dport=8805) / head / message(IE_list=ies))
    return Ether(bytes(p))


node = IE_NodeId(id_type=0, ipv4=SMF)
upf = IE_NodeId(id_type=0, ipv4=UPF)
when = IE_RecoveryTimeStamp(timestamp=3950000000)
ok = IE_Cause(cause=1)

setup = [frame(True, PFCPAssociationSetupRequest, [node, when]),
         frame(False, PFCPAssociationSetupResponse, [upf, ok, when], seq=1)]


def establish(up_seid):
    request = frame(True, PFCPSessionEstablishmentRequest, [
        node, IE_FSEID(v4=1, seid=0x77, ipv4=SMF),
        IE_CreatePDR(IE_list=[
            IE_PDR_Id(id=1), IE_Precedence(precedence=32),
            IE_PDI(IE_list=[IE_SourceInterface(interface=0), IE_FTEID(V4=1, TEID=0x1234, ipv4="10.9.3.2"),
                            IE_NetworkInstance(instance="internet"), IE_UE_IP_Address(V4=1, ipv4="10.60.0.7")]),
            IE_OuterHeaderRemoval(header=0), IE_FAR_Id(id=1)]),
        IE_CreateFAR(IE_list=[IE_FAR_Id(id=1), IE_ApplyAction(FORW=1),
                              IE_ForwardingParameters(IE_list=[IE_DestinationInterface(interface=1)])]),
    ], seid=0)
    answer = frame(False, PFCPSessionEstablishmentResponse, [upf, ok, IE_FSEID(v4=1, seid=up_seid, ipv4=UPF)], seid=0x77, seq=SEQ[0])
    return [request, answer]


def modify(up_seid, teid, gnb):
    return [frame(True, PFCPSessionModificationRequest, [
        IE_UpdateFAR(IE_list=[IE_FAR_Id(id=2), IE_UpdateForwardingParameters(IE_list=[
            IE_OuterHeaderCreation(GTPUUDPIPV4=1, TEID=teid, ipv4=gnb)])])], seid=up_seid)]


session = establish(0x99)
other = establish(0xaa)
changes = modify(0x99, 0x5001, "10.9.3.9") + modify(0xaa, 0x6001, "10.9.3.9") + modify(0x99, 0x5002, "10.9.3.10") + modify(0x99, 0x5001, "10.9.3.9")
end = [frame(True, PFCPSessionDeletionRequest, [], seid=0x99), frame(True, PFCPAssociationReleaseRequest, [node])]
everything = setup + session + session[:1] + other + changes + end  # one request is repeated

wrpcap("n4.pcap", everything)
wrpcapng("n4.pcapng", everything)
wrpcap("no-association.pcap", session + end)
wrpcap("no-session.pcap", setup)
wrpcap("refused.pcap", setup + session[:1])
wrpcap("esp.pcap", [Ether() / IP(src=SMF, dst=UPF) / ESP(spi=1, seq=n, data=b"x" * 40) for n in range(3)])
wrpcap("http.pcap", [Ether() / IP(src=SMF, dst=UPF) / TCP(dport=80) / b"GET / HTTP/1.1\r\n\r\n"])
wrpcap("noise.pcap", [Ether() / IP(src=SMF, dst=UPF) / UDP(sport=8805, dport=8805) / Raw(bytes(range(100, 180)))])
wrpcap("fragments.pcap", setup + [Ether() / f for f in fragment(IP(bytes(session[0][IP])), fragsize=64)])
whole = open("n4.pcap", "rb").read()
open("cut.pcap", "wb").write(whole[:len(whole) - 20])
