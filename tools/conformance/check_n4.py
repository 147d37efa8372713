"""N4: associations, sessions, and the cause and Offending IE of bad input (TS 29.244 clauses 6.2, 6.3, 7.4 to 7.6)."""

from outcome import check, same, table, true
from world import *


@check("n4.heartbeat", "29.244 6.2.2", "a heartbeat is answered with the UPF's Recovery Time Stamp, the same each time")
def _(b):
    stamps = set()
    for _ in range(2):
        answer = b.smf.ask(PFCPHeartbeatRequest(IE_list=[IE_RecoveryTimeStamp(timestamp=b.smf.recovery)]))
        same("the message type", answer.message_type, 2)
        stamp = first(answer.payload, IE_RecoveryTimeStamp)
        true(stamp is not None, "no Recovery Time Stamp")
        stamps.add(stamp.timestamp)
    same("how many different stamps came", len(stamps), 1)


@check("n4.session.before-association", "29.244 6.3.2.3", "a session of a node without an association is refused with cause 72")
def _(b):
    b.need(b.smf2, "--smf2")
    u = b.user(smf=b.smf2)
    cause_is(b.smf2.ask(u.request(u.rules()), seid=0), 72)


@check("n4.association", "29.244 6.2.6", "the answer to an Association Setup has the UPF's Node ID and Recovery Time Stamp")
def _(b):
    answer = b.smf.associate()
    true(first(answer.payload, IE_NodeId) is not None, "no Node ID")
    stamp = first(answer.payload, IE_RecoveryTimeStamp)
    true(stamp is not None, "no Recovery Time Stamp")
    beat = b.smf.ask(PFCPHeartbeatRequest(IE_list=[IE_RecoveryTimeStamp(timestamp=b.smf.recovery)]))
    same("the heartbeat's Recovery Time Stamp", first(beat.payload, IE_RecoveryTimeStamp).timestamp, stamp.timestamp)


@check("n4.association.sequence", "29.244 6.4", "an answer has its request's sequence number, also the largest of 24 bits")
def _(b):
    answer = b.smf.ask(PFCPHeartbeatRequest(IE_list=[IE_RecoveryTimeStamp(timestamp=b.smf.recovery)]), seq=0xFFFFFF)
    same("the sequence number", answer.seq, 0xFFFFFF)


@check("n4.association.update", "29.244 6.2.7", "an Association Update that changes nothing is accepted")
def _(b):
    cause_is(b.smf.ask(PFCPAssociationUpdateRequest(IE_list=[b.smf.node()])), ACCEPTED)


@check("n4.association.several", "29.244 6.2.6", "a second SMF has an association and sessions of its own, with the same SEID as the first's")
def _(b):
    b.need(b.smf2, "--smf2")
    b.smf2.associate()
    one, two = b.user(), b.user(smf=b.smf2)
    two.seid = one.seid
    one.open()
    two.open()
    true(one.up_seid != two.up_seid, "both sessions have SEID %#x" % one.up_seid)
    one.passes_up(), two.passes_up(), one.passes_down(), two.passes_down()
    two.close()
    one.passes_up()
    one.close()


@check("n4.association.restart", "29.244 6.2.2.2, 23.007 19A", "an SMF that restarted loses its sessions, and no other does")
def _(b):
    b.need(b.smf2, "--smf2")
    b.smf2.associate()
    u = b.user(smf=b.smf2).open()
    u.passes_up()
    b.smf2.recovery += 10
    b.smf2.associate()
    u.blocked_up()


@check("n4.association.release", "29.244 6.2.8", "an Association Release is accepted and ends the association's sessions")
def _(b):
    b.need(b.smf2, "--smf2")
    b.smf2.associate()
    u = b.user(smf=b.smf2).open()
    u.passes_up()
    cause_is(b.smf2.ask(PFCPAssociationReleaseRequest(IE_list=[b.smf2.node()])), ACCEPTED)
    u.blocked_up()
    cause_is(b.smf2.ask(u.request(u.rules()), seid=0), 72)


@check("n4.version", "29.244 7.2.2.2, 7.4.4.7", "a message of version 2 is answered by Version Not Supported")
def _(b):
    octets = bytearray(raw(PFCP(version=2, S=0, seq=0x2222) / PFCPHeartbeatRequest(IE_list=[IE_RecoveryTimeStamp(timestamp=1)])))
    same("the message type", b.smf.ask(bytes(octets), seq=0x2222).message_type, 11)


@check("n4.repeated", "29.244 6.4", "a repeated establishment has the same answer, and makes no second session")
def _(b):
    u = b.user()
    seq = b.smf.next()
    octets = raw(PFCP(S=1, seid=0, seq=seq) / u.request(u.rules()))
    b.smf.send(octets)
    one = b.smf.answer(seq, b.patience)
    b.smf.send(octets)
    two = b.smf.answer(seq, b.patience, 2)
    true(one and two, "no second answer")
    cause_is(one, ACCEPTED)
    same("the second answer", raw(two).hex(), raw(one).hex())
    u.up_seid = first(one.payload, IE_FSEID).seid
    u.close()


@check("n4.session.life", "29.244 6.3", "a session is established, modified and deleted, and is then not found: cause 65")
def _(b):
    u = b.user().open()
    u.passes_up(), u.passes_down()
    u.modify(IE_UpdateFAR(IE_list=[IE_FAR_Id(id=1), action(DROP=1)]))
    u.blocked_up()
    u.passes_down()
    u.close()
    u.blocked_down()
    for message in (PFCPSessionDeletionRequest(), PFCPSessionModificationRequest(IE_list=[])):
        cause_is(b.smf.ask(message, seid=u.up_seid), 65)


@check("n4.session.deleted", "29.244 6.3.4", "of a session that is deleted no packet is forwarded either way")
def _(b):
    u = b.user().open()
    u.close()
    u.blocked_up(), u.blocked_down()


@check("n4.session.unique-seid", "29.244 5.6.2", "sessions have different SEIDs at the UPF, none of them 0")
def _(b):
    users = [b.user().open() for _ in range(4)]
    seids = {u.up_seid for u in users}
    [u.close() for u in users]
    true(len(seids) == 4 and 0 not in seids, "the SEIDs are %s" % sorted(map(hex, seids)))


@check("n4.fteid.choose", "29.244 5.5.3, 8.2.3", "F-TEIDs that the UPF chooses are in Created PDR, with its address, and differ", optional=True)
def _(b):
    teids = set()
    for _ in range(3):
        u = b.user()
        u.choose = True
        u.open()
        chosen = first(u.answer.payload, IE_FTEID)
        same("the F-TEID's address", chosen.ipv4, b.a.n3)
        teids.add(u.teid)
        u.passes_up()
        u.close()
    true(len(teids) == 3 and 0 not in teids, "the TEIDs are %s" % sorted(map(hex, teids)))


@check("n4.fteid.choose-id", "29.244 8.2.3", "PDRs with one CHOOSE ID have one F-TEID", optional=True)
def _(b):
    u = b.user()
    u.choose = True
    shared = lambda: IE_FTEID(CHID=1, CH=1, V4=1, choose_id=5)
    u.open(replace=[u.up(fteid=shared())], more=[u.up(id=3, precedence=50, fteid=shared(), pdi=[sdf("permit out 17 from any 9999 to assigned")])])
    teids = [first(c, IE_FTEID).TEID for c in every(u.answer.payload, IE_CreatedPDR) if first(c, IE_FTEID)]
    u.close()
    true(len(teids) == 2 and teids[0] == teids[1], "Created PDR has the TEIDs %s" % [hex(t) for t in teids])


@check("n4.fteid.given", "29.244 5.5.2", "an F-TEID that the SMF gives is taken", optional=True)
def _(b):
    u = b.user()
    u.choose = False
    u.open()
    u.passes_up()
    u.close()


@check("n4.fteid.taken", "29.244 8.2.1", "an F-TEID that another session has is refused, and the other session stays")
def _(b):
    one = b.user().open()
    two = b.user()
    two.choose, two.teid = False, one.teid
    answer = b.smf.ask(two.request(two.rules()), seid=0)
    true(cause(answer) != ACCEPTED, "accepted")
    one.passes_up(), one.passes_down()
    one.close()


@check("n4.address.taken", "29.244 8.2.1", "a UE address that another session has is refused, and the other session stays")
def _(b):
    one = b.user().open()
    two = b.user()
    two.ip = one.ip
    answer = b.smf.ask(two.request(two.rules()), seid=0)
    true(cause(answer) != ACCEPTED, "accepted")
    one.passes_up(), one.passes_down()
    one.close()


def threshold(octets):
    """URR 1, which reports so many octets."""
    return IE_CreateURR(IE_list=[IE_URR_Id(id=1), IE_MeasurementMethod(VOLUM=1), IE_ReportingTriggers(volume_threshold=1, extra_data=b"\0"), IE_VolumeThreshold(TOVOL=1, total=octets)])


@check("n4.fseid.modified", "29.244 7.5.4.1", "a CP F-SEID in a modification is where answers and reports go from then on", optional=True)
def _(b):
    b.need(b.smf2, "--smf2")
    b.smf2.associate()
    u = b.user().open(replace=[], more=[threshold(500)], up={"urrs": (1,)})
    new = u.seid + 0x100000
    SEIDS[new] = u.up_seid
    answer = u.modify(b.smf2.fseid(new))
    same("the SEID of the answer's header", answer.seid, new)
    u.seid = new
    u.passes_up(u.packet(size=600))
    true(b.smf2.report(lambda m: True, new, b.patience + 1), "the report of a threshold did not go to the new address")
    u.close()


@check("n4.set.takeover", "29.244 5.22.3, 7.5.4.1", "another SMF of the set takes a session and its reports over, and keeps it when the first SMF leaves", optional=True)
def _(b):
    b.need(b.smf2, "--smf2")
    mpas = [IE_CPFunctionFeatures(spare=1 << 3), of(180, b"\0\3set\7example\3org")]
    try:
        features = first(b.smf2.associate(*mpas).payload, IE_UPFunctionFeatures)
        if features is None or len(features.extra_data) < 2 or not features.extra_data[1] & 1:
            raise Refused("MPAS is not announced")
        cause_is(b.smf.ask(PFCPAssociationUpdateRequest(IE_list=[b.smf.node(), *mpas])), ACCEPTED)
        u = b.user(smf=b.smf2).open(replace=[], more=[threshold(500)], up={"urrs": (1,)})
        u.smf, u.seid = b.smf, u.seid + 0x100000
        SEIDS[u.seid] = u.up_seid
        same("the SEID of the answer's header", u.modify(b.smf.fseid(u.seid), b.smf.node()).seid, u.seid)
        cause_is(b.smf2.ask(PFCPAssociationReleaseRequest(IE_list=[b.smf2.node()])), ACCEPTED)
        u.passes_up(u.packet(size=600))
        true(b.smf.report(lambda m: True, u.seid, b.patience + 1), "the report of a threshold did not go to the SMF that took over")
        u.close()
    finally:
        b.smf.ask(PFCPAssociationUpdateRequest(IE_list=[b.smf.node(), IE_CPFunctionFeatures()]))
        b.smf2.associate()


@check("n4.atomic", "29.244 6.3.3, 7.5.4", "a modification that is refused changes nothing of its session")
def _(b):
    u = b.user().open()
    answer = b.smf.ask(PFCPSessionModificationRequest(IE_list=[IE_UpdateFAR(IE_list=[IE_FAR_Id(id=1), action(DROP=1)]),
                                                               IE_UpdateFAR(IE_list=[IE_FAR_Id(id=99), action(DROP=1)])]), seid=u.up_seid)
    true(cause(answer) != ACCEPTED, "accepted")
    u.passes_up(), u.passes_down()
    u.close()


def of(typ, data=b""):
    """An IE of any type and octets."""
    return IE_NotImplemented(ietype=typ, length=len(data), data=data)


@table([
    ("n4.ignored.unknown", "an IE of an unknown type is ignored", of(0x7000, b"12345")),
    ("n4.ignored.vendor", "an IE of another vendor is ignored", IE_EnterpriseSpecific(ietype=0x8001, enterprise_id=18681, data=b"12345")),
    ("n4.ignored.user-id", "User ID is ignored", of(141, b"\1\x08" + bytes.fromhex("0910101032547698"))),
    ("n4.ignored.apn", "APN/DNN is ignored", IE_APN_DNN(apn_dnn="internet")),
], "29.244 7.6.4")
def _(b, ie):
    u = b.user().open(more=[ie])
    u.passes_up()
    u.close()


def without(kind):
    """Leave IEs of a kind out, at any depth."""
    def change(ies):
        kept = [ie for ie in ies if not isinstance(ie, kind)]
        for ie in kept:
            if getattr(ie, "IE_list", None):
                ie.IE_list = change(ie.IE_list)
        return kept
    return change


def instead(kind, other):
    """Put another IE in the place of the first of a kind, at any depth."""
    def change(ies):
        for at, ie in enumerate(ies):
            if isinstance(ie, kind):
                ies[at] = other
                return ies
            if getattr(ie, "IE_list", None) and first(ie, kind) is not None:
                ie.IE_list = change(ie.IE_list)
                return ies
        return ies
    return change


@table([(name, "an establishment %s: cause %s, Offending IE %s" % (title, " or ".join(map(str, wanted)) if isinstance(wanted, tuple) else wanted, blamed), change, wanted, blamed) for name, title, change, wanted, blamed in [
    ("n4.bad.no-node-id", "without Node ID", without(IE_NodeId), 66, 60),
    ("n4.bad.no-fseid", "without CP F-SEID", without(IE_FSEID), 66, 57),
    ("n4.bad.no-pdr", "without Create PDR", without(IE_CreatePDR), 66, 1),
    ("n4.bad.no-far", "without Create FAR", without(IE_CreateFAR), 66, 3),
    ("n4.bad.no-pdr-id", "whose PDR has no PDR ID", without(IE_PDR_Id), 66, 56),
    ("n4.bad.no-precedence", "whose PDR has no Precedence", without(IE_Precedence), 66, 29),
    ("n4.bad.no-pdi", "whose PDR has no PDI", without(IE_PDI), 66, 2),
    ("n4.bad.no-source-interface", "whose PDI has no Source Interface", without(IE_SourceInterface), 66, 20),
    ("n4.bad.no-far-id", "whose FAR and PDR have no FAR ID", without(IE_FAR_Id), (66, 67), 108),
    ("n4.bad.no-apply-action", "whose FAR has no Apply Action", without(IE_ApplyAction), 66, 44),
    ("n4.bad.no-destination", "whose FAR has no Destination Interface", without(IE_DestinationInterface), 66, 42),
    ("n4.bad.no-qer-id", "whose QER has no QER ID", without(IE_QER_Id), 66, 109),
    ("n4.bad.no-gate-status", "whose QER has no Gate Status", without(IE_GateStatus), 66, 25),
    ("n4.bad.no-forwarding-parameters", "whose FAR forwards without Forwarding Parameters", without(IE_ForwardingParameters), 67, 4),
    ("n4.bad.short-node-id", "with a Node ID of 3 octets", instead(IE_NodeId, of(60, b"\0\x7f\1")), 68, 60),
    ("n4.bad.short-fseid", "with a CP F-SEID of 3 octets", instead(IE_FSEID, of(57, b"\2\0\0")), 68, 57),
    ("n4.bad.short-pdr-id", "with a PDR ID of 1 octet", instead(IE_PDR_Id, of(56, b"\1")), 68, 56),
    ("n4.bad.short-precedence", "with a Precedence of 1 octet", instead(IE_Precedence, of(29, b"\1")), 68, 29),
    ("n4.bad.short-fteid", "with an F-TEID of 3 octets", instead(IE_FTEID, of(21, b"\1\0\0")), 68, 21),
    ("n4.bad.short-ue-address", "with a UE IP Address of 2 octets", instead(IE_UE_IP_Address, of(93, b"\2\x0a")), 68, 93),
    ("n4.bad.short-creation", "with an Outer Header Creation of 5 octets", instead(IE_OuterHeaderCreation, of(84, b"\1\0\0\0\0")), 68, 84),
    ("n4.bad.short-qer-id", "with a QER ID of 1 octet", instead(IE_QER_Id, of(109, b"\1")), 68, 109),
    ("n4.bad.empty-gate-status", "with an empty Gate Status", instead(IE_GateStatus, of(25)), (66, 68), 25),
    ("n4.bad.node-id-type", "with a Node ID of an unknown type", instead(IE_NodeId, of(60, b"\7\1\2\3\4")), 69, 60),
    ("n4.bad.fseid-without-address", "with a CP F-SEID without an address", instead(IE_FSEID, of(57, bytes(9))), 69, 57),
]], "29.244 7.6, 8.2.1")
def _(b, change, wanted, blamed):
    u = b.user()
    request = u.request(u.rules())
    request.IE_list = change(request.IE_list)
    answer = b.smf.ask(request, seid=0)
    offending = first(answer.payload, IE_OffendingIE)
    wanted = wanted if isinstance(wanted, tuple) else (wanted,)
    true(cause(answer) in wanted and offending is not None and offending.type == blamed, story(answer))


@table([(name, "a modification %s is refused%s" % (title, "" if not blamed else ", Failed Rule ID %s" % (blamed,)), ies, causes, blamed) for name, title, ies, causes, blamed in [
    ("n4.bad.update-unknown-far", "of a FAR that is not there", lambda u: [IE_UpdateFAR(IE_list=[IE_FAR_Id(id=77), action(DROP=1)])], (73,), ("FAR", 77)),
    ("n4.bad.update-unknown-pdr", "of a PDR that is not there", lambda u: [IE_UpdatePDR(IE_list=[IE_PDR_Id(id=77), IE_Precedence(precedence=1)])], (73,), ("PDR", 77)),
    ("n4.bad.update-unknown-qer", "of a QER that is not there", lambda u: [IE_UpdateQER(IE_list=[IE_QER_Id(id=77), IE_GateStatus(ul=1, dl=1)])], (73,), ("QER", 77)),
    ("n4.bad.remove-unknown-pdr", "that removes a PDR that is not there", lambda u: [IE_RemovePDR(IE_list=[IE_PDR_Id(id=77)])], (73,), ("PDR", 77)),
    ("n4.bad.remove-unknown-far", "that removes a FAR that is not there", lambda u: [IE_RemoveFAR(IE_list=[IE_FAR_Id(id=77)])], (73,), ("FAR", 77)),
    ("n4.bad.create-twice-pdr", "that creates a PDR that is there", lambda u: [u.down(id=2)], (73,), ("PDR", 2)),
    ("n4.bad.create-twice-far", "that creates a FAR that is there", lambda u: [u.to_core(1)], (73,), ("FAR", 1)),
    ("n4.bad.pdr-unknown-far", "with a PDR of a FAR that is not there", lambda u: [u.down(id=9, far=77, pdi=[sdf("permit out 17 from any 9 to assigned")])], (73,), None),
    ("n4.bad.pdr-unknown-qer", "with a PDR of a QER that is not there", lambda u: [u.down(id=9, qers=(77,), pdi=[sdf("permit out 17 from any 9 to assigned")])], (73,), None),
    ("n4.bad.pdr-unknown-urr", "with a PDR of a URR that is not there", lambda u: [u.down(id=9, urrs=(77,), pdi=[sdf("permit out 17 from any 9 to assigned")])], (73,), None),
    ("n4.bad.remove-used-far", "that removes a FAR in use", lambda u: [IE_RemoveFAR(IE_list=[IE_FAR_Id(id=1)])], (73,), None),
    ("n4.bad.predefined", "that activates a predefined rule that the UPF does not have", lambda u: [IE_UpdatePDR(IE_list=[IE_PDR_Id(id=2), IE_ActivatePredefinedRules(name="upflab-conformance-none")])], (80, 73), None),
    ("n4.bad.filter", "with an SDF filter that is none", lambda u: [u.down(id=9, pdi=[sdf("permit it all")])], (73, 69), None),
    ("n4.bad.no-action", "with a FAR without any action", lambda u: [IE_CreateFAR(IE_list=[IE_FAR_Id(id=9), of(44, b"\0\0")])], (73, 69), None),
    ("n4.bad.two-actions", "with a FAR that drops and forwards", lambda u: [IE_CreateFAR(IE_list=[IE_FAR_Id(id=9), action(DROP=1, FORW=1), IE_ForwardingParameters(IE_list=[IE_DestinationInterface(interface=1)])])], (73, 69), None),
    ("n4.bad.teid-0", "with an F-TEID of TEID 0", lambda u: [u.up(id=9, fteid=IE_FTEID(V4=1, TEID=0, ipv4=u.b.a.n3))], (73, 69), None),
    ("n4.bad.unknown-removal", "with an Outer Header Removal of an unknown kind", lambda u: [u.up(id=9, precedence=9, removal=77)], (73, 69), None),
    ("n4.bad.urr-no-method", "with a URR without Measurement Method", lambda u: [IE_CreateURR(IE_list=[IE_URR_Id(id=9), IE_ReportingTriggers(extra_data=b"\0")])], (66,), None),
    ("n4.bad.urr-no-triggers", "with a URR without Reporting Triggers", lambda u: [IE_CreateURR(IE_list=[IE_URR_Id(id=9), IE_MeasurementMethod(VOLUM=1)])], (66,), None),
    ("n4.bad.threshold-missing", "with a URR that reports a Volume Threshold that it lacks", lambda u: [IE_CreateURR(IE_list=[IE_URR_Id(id=9), IE_MeasurementMethod(VOLUM=1), IE_ReportingTriggers(volume_threshold=1, extra_data=b"\0")])], (67,), None),
]], "29.244 7.6, 8.2.1, 8.2.80")
def _(b, ies, causes, blamed):
    u = b.user().open()
    answer = b.smf.ask(PFCPSessionModificationRequest(IE_list=ies(u)), seid=u.up_seid)
    rule = first(answer.payload, IE_FailedRuleId)
    true(cause(answer) in causes, story(answer) if cause(answer) != ACCEPTED else "accepted")
    if blamed and rule is None or blamed and blamed[0] + " " + str(blamed[1]) not in story(answer):
        raise Wrong(story(answer))
    u.passes_up(), u.passes_down()
    u.close()


@check("n4.bad.message-length", "29.244 7.6.4.2", "a message longer than its datagram, or shorter than its header says, ends nothing: sessions go on")
def _(b):
    u = b.user().open()
    good = bytearray(raw(PFCP(S=1, seid=u.up_seid, seq=b.smf.next()) / PFCPSessionModificationRequest(IE_list=[IE_UpdateFAR(IE_list=[IE_FAR_Id(id=1), action(DROP=1)])])))
    for length in (0, 4, 12, len(good) + 100):
        good[2:4] = struct.pack("!H", length)
        b.smf.send(bytes(good))
    for cut in range(1, len(good), 5):
        b.smf.send(bytes(good[:cut]))
    u.passes_up(), u.passes_down()
    u.close()
