#!/usr/bin/env python3
"""Writes the requests that TestBadInput sends to a server with the session of
"establish-given", and the answers that TS 29.244 asks for (clauses 7.6 and 8.2.1).

Run in this folder: python3 bad.py > bad.txt
A line is a name, the request and the answer in hex; "-" when there is none."""
import contextlib, io
with contextlib.redirect_stdout(io.StringIO()):
    from gen import *


def raw(typ, data=b""):
    return IE_NotImplemented(ietype=typ, length=len(data), data=data)


def fseid():
    return IE_FSEID(v4=1, seid=CP, ipv4=SMF)


def offending(typ):
    return IE_OffendingIE(type=typ)


OTHER = "10.45.0.9"
seq = 1000
BAD = {}


def create(name, cause, *more, ies, head=None, seid=CP):
    """A session establishment that is refused."""
    global seq
    seq += 1
    BAD[name] = establish(seq, *ies, head=head), refused(seq, cause, *more, seid=seid)


def change(name, cause, *more, ies):
    """A session modification that is refused."""
    global seq
    seq += 1
    BAD[name] = modify(seq, *ies), modified(seq, *more, cause=cause)


def fine(name, *ies):
    global seq
    seq += 1
    BAD[name] = modify(seq, *ies), modified(seq)


def of_node(name, request, response, cause, *more, ies):
    global seq
    seq += 1
    BAD[name] = node(request, seq, ies), node(response, seq, [you(), IE_Cause(cause=cause)] + list(more))


def pdr(number=5, to=1, teid=5, **parts):
    """A Create PDR of which parts are replaced, or left out where they are None."""
    ies = dict(id=IE_PDR_Id(id=number), precedence=IE_Precedence(precedence=9),
               pdi=[IE_SourceInterface(interface=0), given(teid)], removal=IE_OuterHeaderRemoval(header=0), far=IE_FAR_Id(id=to))
    ies.update(parts)
    if isinstance(ies["pdi"], list):
        ies["pdi"] = IE_PDI(IE_list=ies["pdi"])
    return IE_CreatePDR(IE_list=[i for i in ies.values() if i is not None])


def far(number=5, *ies):
    return IE_CreateFAR(IE_list=[IE_FAR_Id(id=number)] + list(ies))


def forwarding(*ies):
    return IE_ForwardingParameters(IE_list=list(ies))


def core():
    return forwarding(IE_DestinationInterface(interface=1))


session_of = [uplink_pdr(given(7)), downlink_pdr(ue=OTHER), uplink_far(), downlink_far(), qer()]

# Mandatory IEs that are missing: cause 66 with their type.
create("establish: no CP F-SEID", 66, offending(57), ies=session_of, head=[me()], seid=0)
create("establish: no Node ID", 66, offending(60), ies=session_of, head=[fseid()])
create("establish: no Create PDR", 66, offending(1), ies=session_of[2:])
create("establish: no Create FAR", 66, offending(3), ies=session_of[:2] + [qer()])
change("Create PDR: no PDR ID", 66, offending(56), ies=[pdr(id=None)])
change("Create PDR: no Precedence", 66, offending(29), ies=[pdr(precedence=None)])
change("Create PDR: no PDI", 66, offending(2), ies=[pdr(pdi=None)])
change("Create PDR: no Source Interface", 66, offending(20), ies=[pdr(pdi=[given(5)])])
change("Create FAR: no FAR ID", 66, offending(108), ies=[IE_CreateFAR(IE_list=[IE_ApplyAction(DROP=1)])])
change("Create FAR: no Apply Action", 66, offending(44), ies=[far()])
change("Create FAR: no Destination Interface", 66, offending(42), ies=[far(5, IE_ApplyAction(FORW=1), forwarding(outer(2, GNB)))])
change("Create QER: no QER ID", 66, offending(109), ies=[IE_CreateQER(IE_list=[IE_GateStatus()])])
change("Create QER: no Gate Status", 66, offending(25), ies=[IE_CreateQER(IE_list=[IE_QER_Id(id=5)])])
change("Create URR: no URR ID", 66, offending(81), ies=[IE_CreateURR(IE_list=[IE_MeasurementMethod(VOLUM=1), IE_ReportingTriggers()])])
change("Create URR: no Measurement Method", 66, offending(62), ies=[IE_CreateURR(IE_list=[IE_URR_Id(id=5), IE_ReportingTriggers()])])
change("Create URR: no Reporting Triggers", 66, offending(37), ies=[IE_CreateURR(IE_list=[IE_URR_Id(id=5), IE_MeasurementMethod(VOLUM=1)])])
change("Create BAR: no BAR ID", 66, offending(88), ies=[IE_Create_BAR(IE_list=[IE_DownlinkDataNotificationDelay(delay=1)])])
change("Update PDR: no PDR ID", 66, offending(56), ies=[IE_UpdatePDR(IE_list=[IE_Precedence(precedence=1)])])
change("Update FAR: no FAR ID", 66, offending(108), ies=[IE_UpdateFAR(IE_list=[IE_ApplyAction(DROP=1)])])
change("Update QER: no QER ID", 66, offending(109), ies=[IE_UpdateQER(IE_list=[IE_GateStatus()])])
change("Update URR: no URR ID", 66, offending(81), ies=[IE_UpdateURR(IE_list=[IE_MeasurementMethod(VOLUM=1)])])
change("Remove PDR: no PDR ID", 66, offending(56), ies=[IE_RemovePDR(IE_list=[])])
change("Remove FAR: no FAR ID", 66, offending(108), ies=[IE_RemoveFAR(IE_list=[])])
change("Remove QER: no QER ID", 66, offending(109), ies=[IE_RemoveQER(IE_list=[])])
change("Remove URR: no URR ID", 66, offending(81), ies=[IE_RemoveURR(IE_list=[])])
change("Query URR: no URR ID", 66, offending(81), ies=[IE_QueryURR(IE_list=[])])
of_node("setup: no Node ID", PFCPAssociationSetupRequest, PFCPAssociationSetupResponse, 66, offending(60),
        ies=[IE_RecoveryTimeStamp(timestamp=RECOVERY)])
of_node("setup: no Recovery Time Stamp", PFCPAssociationSetupRequest, PFCPAssociationSetupResponse, 66, offending(96), ies=[me()])
of_node("update: no Node ID", PFCPAssociationUpdateRequest, PFCPAssociationUpdateResponse, 66, offending(60), ies=[])
of_node("release: no Node ID", PFCPAssociationReleaseRequest, PFCPAssociationReleaseResponse, 66, offending(60), ies=[])

# Conditional IEs: cause 67 with their type.
change("Create PDR: no FAR ID", 67, offending(108), ies=[pdr(far=None)])
change("Create FAR: FORW without Forwarding Parameters", 67, offending(4), ies=[far(5, IE_ApplyAction(FORW=1))])
for trigger, typ in (("volume_threshold", 31), ("time_threshold", 32), ("periodic_reporting", 64)):
    change(f"Create URR: {trigger} without its IE", 67, offending(typ), ies=[
        IE_CreateURR(IE_list=[IE_URR_Id(id=5), IE_MeasurementMethod(VOLUM=1, DURAT=1), IE_ReportingTriggers(**{trigger: 1})])])

# Lengths that are wrong: cause 68 with the type.
create("establish: a short CP F-SEID", 68, offending(57), ies=session_of, head=[me(), raw(57, b"\2\0\0")], seid=0)
create("establish: a CP F-SEID without its address", 68, offending(57), ies=session_of, head=[me(), raw(57, b"\2" + bytes(8))], seid=0)
create("establish: a short Node ID", 68, offending(60), ies=session_of, head=[raw(60, b"\0\x7f"), fseid()])
for name, typ, good in (("PDR ID", 56, "id"), ("Precedence", 29, "precedence"), ("FAR ID", 108, "far")):
    change(f"Create PDR: a short {name}", 68, offending(typ), ies=[pdr(**{good: raw(typ, b"\1")})])
change("Create PDR: a short F-TEID", 68, offending(21), ies=[pdr(pdi=[IE_SourceInterface(interface=0), raw(21, b"\1\0\0")])])
change("Create PDR: a short UE IP Address", 68, offending(93), ies=[pdr(pdi=[IE_SourceInterface(interface=0), given(5), raw(93, b"\2\x0a")])])
change("Create PDR: a short SDF Filter", 68, offending(23), ies=[pdr(pdi=[IE_SourceInterface(interface=0), given(5), raw(23, b"\1\0\0\x20x")])])
change("Create PDR: an empty QFI", 68, offending(124), ies=[pdr(pdi=[IE_SourceInterface(interface=0), given(5), raw(124)])])
change("Create PDR: a short QER ID", 68, offending(109), ies=[pdr(qer=raw(109, b"\1"))])
change("Create FAR: a short Outer Header Creation", 68, offending(84),
       ies=[far(5, IE_ApplyAction(FORW=1), forwarding(IE_DestinationInterface(interface=0), raw(84, b"\1\0\0\0\0")))])
change("Create QER: a short MBR", 68, offending(26), ies=[IE_CreateQER(IE_list=[IE_QER_Id(id=5), IE_GateStatus(), raw(26, b"\0" * 9)])])
change("Create URR: a short Volume Threshold", 68, offending(31), ies=[IE_CreateURR(IE_list=[
    IE_URR_Id(id=5), IE_MeasurementMethod(VOLUM=1), IE_ReportingTriggers(volume_threshold=1), raw(31, b"\1\0\0")])])
change("an IE longer than its message", 68, ies=[raw(10, b"\0\x38\0\x09\0")])

# Values that are wrong: cause 69 with the type of a mandatory IE, else 73 with the rule.
create("establish: a Node ID of an unknown type", 69, offending(60), ies=session_of, head=[raw(60, b"\7\1\2\3\4"), fseid()])
create("establish: a CP F-SEID without an address", 69, offending(57), ies=session_of, head=[me(), raw(57, b"\0" + bytes(8))], seid=0)
create("establish: a node without an association", 72, ies=session_of, head=[IE_NodeId(id_type=2, id="smf.example.org"), fseid()])
change("Create FAR: no action at all", 73, failed(1, 5), ies=[far(5, raw(44, b"\0"))])
change("Create FAR: two actions", 73, failed(1, 5), ies=[far(5, IE_ApplyAction(DROP=1, FORW=1), core())])
change("Create FAR: towards an unknown interface", 73, failed(1, 5), ies=[far(5, IE_ApplyAction(FORW=1), forwarding(IE_DestinationInterface(interface=9)))])
change("Create PDR: from an unknown interface", 73, failed(0, 5), ies=[pdr(pdi=[IE_SourceInterface(interface=9), given(5)])])
change("Create PDR: from access without an F-TEID", 73, failed(0, 5), ies=[pdr(pdi=[IE_SourceInterface(interface=0)])])
change("Create PDR: TEID 0", 73, failed(0, 5), ies=[pdr(teid=0)])
change("Create PDR: a filter that is none", 73, failed(0, 5), ies=[pdr(pdi=[IE_SourceInterface(interface=0), given(5), sdf("permit it all")])])
change("Create PDR: an unknown outer header", 73, failed(0, 5), ies=[pdr(removal=IE_OuterHeaderRemoval(header=77))])
change("Create PDR: an F-TEID of another UPF", 73, failed(0, 5), ies=[pdr(pdi=[IE_SourceInterface(interface=0), IE_FTEID(V4=1, TEID=5, ipv4="198.18.0.9")])])
change("Create URR: an unknown method", 73, failed_urr(5), ies=[IE_CreateURR(IE_list=[IE_URR_Id(id=5), raw(62, b"\0"), IE_ReportingTriggers()])])

# References to what is not there: cause 73 with the rule that refers.
change("Create PDR: a FAR that is not there", 73, failed(0, 5), ies=[pdr(to=99)])
change("Create PDR: a QER that is not there", 73, failed(0, 5), ies=[pdr(qer=IE_QER_Id(id=99))])
change("Create PDR: a URR that is not there", 73, failed(0, 5), ies=[pdr(urr=IE_URR_Id(id=99))])
change("Create FAR: a BAR that is not there", 73, failed(1, 5), ies=[far(5, IE_ApplyAction(DROP=1), IE_BAR_Id(id=99))])
change("Update PDR: a FAR that is not there", 73, failed(0, 1), ies=[IE_UpdatePDR(IE_list=[IE_PDR_Id(id=1), IE_FAR_Id(id=99)])])
change("Update PDR: not there itself", 73, failed(0, 99), ies=[IE_UpdatePDR(IE_list=[IE_PDR_Id(id=99), IE_Precedence(precedence=1)])])
change("Update FAR: not there itself", 73, failed(1, 99), ies=[IE_UpdateFAR(IE_list=[IE_FAR_Id(id=99), IE_ApplyAction(DROP=1)])])
change("Update QER: not there itself", 73, failed(2, 99), ies=[IE_UpdateQER(IE_list=[IE_QER_Id(id=99), IE_GateStatus()])])
change("Update URR: not there itself", 73, failed_urr(99), ies=[IE_UpdateURR(IE_list=[IE_URR_Id(id=99), IE_MeasurementMethod(VOLUM=1)])])

# What cannot be removed: it is not there, or in use.
change("Remove PDR: not there", 73, failed(0, 99), ies=[IE_RemovePDR(IE_list=[IE_PDR_Id(id=99)])])
change("Remove FAR: not there", 73, failed(1, 99), ies=[IE_RemoveFAR(IE_list=[IE_FAR_Id(id=99)])])
change("Remove QER: not there", 73, failed(2, 99), ies=[IE_RemoveQER(IE_list=[IE_QER_Id(id=99)])])
change("Remove URR: not there", 73, failed_urr(99), ies=[IE_RemoveURR(IE_list=[IE_URR_Id(id=99)])])
change("Remove BAR: not there", 73, IE_FailedRuleId(type=4, bar_id=99), ies=[IE_Remove_BAR(IE_list=[IE_BAR_Id(id=99)])])
change("Remove FAR: in use", 73, failed(0, 1), ies=[IE_RemoveFAR(IE_list=[IE_FAR_Id(id=1)])])
change("Remove QER: in use", 73, failed(0, 1), ies=[IE_RemoveQER(IE_list=[IE_QER_Id(id=1)])])
change("Query URR: not there", 73, failed_urr(99), ies=[IE_QueryURR(IE_list=[IE_URR_Id(id=99)])])

# IDs that are there twice, keys that are another's.
change("Create PDR: an ID that is taken", 73, failed(0, 1), ies=[pdr(number=1)])
change("Create FAR: an ID that is taken", 73, failed(1, 1), ies=[far(1, IE_ApplyAction(DROP=1))])
change("Create QER: an ID that is taken", 73, failed(2, 1), ies=[qer()])
change("Create PDR: an ID twice", 73, failed(0, 5), ies=[pdr(), pdr(teid=6)])
create("establish: another session's TEID", 73, failed(0, 1), ies=[uplink_pdr(given(1)), downlink_pdr(ue=OTHER), uplink_far(), downlink_far(), qer()])
create("establish: another session's UE address", 73, failed(0, 2), ies=[uplink_pdr(given(7)), downlink_pdr(), uplink_far(), downlink_far(), qer()])

# The last of several changes is the bad one.
change("all or nothing", 73, failed(2, 99), ies=[
    pdr(), IE_UpdateFAR(IE_list=[IE_FAR_Id(id=2), IE_ApplyAction(DROP=1)]), IE_RemovePDR(IE_list=[IE_PDR_Id(id=2)]),
    IE_RemoveQER(IE_list=[IE_QER_Id(id=99)])])

# Unknown and foreign IEs are ignored (clause 7.6.4), filters may overlap.
fine("unknown IEs", raw(9999, b"\1\2\3"), raw(0x8001, b"\0\x0a\1"), raw(256, b""))
fine("an unknown IE in a rule", IE_UpdateFAR(IE_list=[IE_FAR_Id(id=1), raw(9998, b"\1")]))

change("Create URR: a linked URR that is not there", 73, failed_urr(5), ies=[IE_CreateURR(IE_list=[
    IE_URR_Id(id=5), IE_MeasurementMethod(VOLUM=1), IE_ReportingTriggers(linked_usage_reporting=1), IE_LinkedURR_Id(id=99)])])

if __name__ == "__main__":
    for name, (request, answer) in BAD.items():
        print(name.replace(" ", "_"), bytes(request).hex(), bytes(answer).hex())
