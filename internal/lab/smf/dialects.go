package smf

import (
	"fmt"
	"strings"
	"time"
)

// Standard is a UPF that does what TS 29.244 says, the reference UPF among
// them: every IE that a session of IPv4 or IPv6 with one QoS flow has a use for.
func Standard() Dialect {
	return Dialect{
		Name: "standard", QER: true, ReportingTriggersOctets: 3,
		InterfaceType: true, PDNType: true, ApplyActionOctets: 2,
		NetworkInstance: InstanceLabels, SourceIPInUplinkPDI: true,
		Assign: AssignSMF, DLPSC: true,
	}
}

// EUPF is eUPF 0.7.1. It answers CHOOSE only when started with --ftup. Its maps
// hold 1 024 FARs, 512 sessions, unless it is started with --mapresize and sizes
// (two FARs, two PDRs and a QER a session). It knows no Association Release: what
// is not deleted stays.
func EUPF() Dialect {
	return Dialect{
		Name: "eupf", QER: true, ReportingTriggersOctets: 3,
		ApplyActionOctets: 2, NetworkInstance: InstanceLabels,
		Assign: AssignSMF, DLPSC: true, ReleaseUnanswered: true,
	}
}

// Open5GS is the UPF of Open5GS 2.8.0 with global.max.ue at its 1024.
func Open5GS() Dialect {
	d := Standard()
	d.Name, d.HeartbeatFirst, d.SessionsPerAssociation = "open5gs", true, 4096
	return d
}

// Free5GC is go-upf 1.2.12 with gtp5g 0.10.2. After one failed establishment it
// rejects every later one until it is restarted.
func Free5GC() Dialect {
	d := Standard()
	d.Name, d.InterfaceType, d.PDNType = "free5gc", false, false
	d.ReleaseUnanswered = true
	return d
}

// UPGVPP is UPG-VPP 2.0.0 with "upf specification release 16".
func UPGVPP() Dialect {
	return Dialect{
		Name: "upg-vpp", ReportingTriggersOctets: 3, ApplyActionOctets: 2,
		NetworkInstance: InstanceLabels, OneInstance: true, SourceIPInUplinkPDI: true,
		Assign: AssignSMF,
	}
}

// SDCore is pfcpiface 2.5 with BESS.
func SDCore() Dialect {
	return Dialect{
		Name: "sdcore", QER: true, ReportingTriggersOctets: 3,
		ApplyActionOctets: 1, NetworkInstance: InstanceOmitted,
		SourceIPInUplinkPDI: true, Assign: AssignSMF, DLPSC: true,
		HeartbeatEvery: 5 * time.Second,
	}
}

// UP4 is pfcpiface 2.1.1 with a P4 switch. UP4 has 1 024 meters, of which a session
// takes two and the first is everybody's.
func UP4() Dialect {
	d := SDCore()
	d.Name, d.MBR, d.SessionsPerAssociation = "up4", 200_000_000, 511
	return d
}

// OAI is OAI-CN5G-UPF 2.1.0 without an NRF, with its simple switch. It does not answer a request with an Apply Action
// of two octets, a URR or an IE that it does not know, and discards an Association Release Request. It answers cause 67
// to a QER without MBR or GBR, and takes the QFI of downlink from the uplink PDI. It asks for the association for some
// seconds from its start on, and takes the SMF's request at any time.
func OAI() Dialect {
	d := Standard()
	d.Name, d.ReleaseUnanswered = "oai", true
	d.InterfaceType, d.PDNType, d.ApplyActionOctets = false, false, 1
	d.MBR, d.GBR, d.QFIInUplinkPDI = 200_000_000, 200_000_000, true
	return d
}

// OAIXDP is OAI-CN5G-UPF 2.1.0 with its BPF programs: it forwards downlink only by rules of a
// modification. It then looks for the MAC addresses of data network and gNB, one after the other by an arping that
// takes 1.1 s, and sends to wrong ones until it has them. It has room for 5 000 programs in its life, of which a
// session takes two.
func OAIXDP() Dialect {
	d := OAI()
	d.Name, d.DownlinkByModification, d.SessionsPerAssociation = "oai-xdp", true, 2499
	d.Settling = 4 * time.Second
	return d
}

// SPGWUTiny is OAI's older SPGWU-tiny 1.4.0 without an NRF, which knows the PFCP of Release 14: it does not answer a
// request with a 3GPP Interface Type, an Apply Action of two octets or a URR. Downlink packets get the QFI of the uplink PDR
// that took the session's last uplink packet. It asks for the association once, when it starts, and takes the SMF's
// request at any time; it discards a release. Its tables hold 1 024 entries.
func SPGWUTiny() Dialect {
	d := Standard()
	d.Name, d.Assign, d.SessionsPerAssociation = "spgwu-tiny", AssignUPF, 1024
	d.InterfaceType, d.PDNType, d.ApplyActionOctets = false, false, 1
	d.QFIInUplinkPDI, d.ReleaseUnanswered = true, true
	return d
}

// NextGCore is NextGCore's nextgcore-upfd 0.1.0. It reads an Apply Action of two octets as one number, in which it
// finds no action, and it leaves out PDRs that have an F-TEID, whoever assigns it. With a QER that has a QFI it writes
// a DSCP into inner packets.
func NextGCore() Dialect {
	d := Standard()
	d.Name, d.ApplyActionOctets, d.DLPSC, d.ReleaseUnanswered = "nextgcore", 1, false, true
	d.QER = false
	return d
}

// dialects lists every dialect there is, Standard first.
func dialects() []Dialect {
	return []Dialect{
		Standard(), EUPF(), Open5GS(), Free5GC(), UPGVPP(), SDCore(), UP4(), OAI(), OAIXDP(), SPGWUTiny(), NextGCore(),
	}
}

// Lookup finds a dialect by its name. The error lists the names there are.
func Lookup(name string) (Dialect, error) {
	var names []string
	for _, d := range dialects() {
		if d.Name == name {
			return d, nil
		}
		names = append(names, d.Name)
	}
	return Dialect{}, fmt.Errorf("PFCP dialect %q is not known: use one of %s", name, strings.Join(names, ", "))
}
