package seeded

import (
	"encoding/binary"

	"github.com/wmnsk/go-pfcp/ie"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// control are faults of N4.
func control() []Fault {
	return []Fault{
		{Name: "a refused modification is answered as accepted", Row: "session.modify.unknown-far",
			Also: []string{"session.modify.unknown-pdr", "session.atomic.modify", "session.unknown.modify"},
			Answer: func(m []byte) []byte {
				if pfcp.MessageType(m[1]) == pfcp.SessionModificationResponse {
					return setCause(m, ie.CauseRequestAccepted)
				}
				return m
			}},
		{Name: "an unknown session is refused with another cause", Row: "session.unknown.delete", Also: []string{"session.unknown.modify"},
			Answer: func(m []byte) []byte {
				if cause(m) == ie.CauseSessionContextNotFound {
					return setCause(m, ie.CauseRequestRejected)
				}
				return m
			}},
		{Name: "the Recovery Time Stamp is that of now", Row: "n4.recovery.same", Answer: drifting()},
		{Name: "a newer Recovery Time Stamp is ignored", Row: "n4.recovery.newer",
			Ask: standing()},
		{Name: "an F-TEID in 40 is given twice", Row: "scas.teid-unique", Also: []string{"fteid.unique"}, Answer: repeating(40)},
		{Name: "downlink data is not reported", Row: "far.notify", Also: []string{"far.buffer.idle"}, Answer: func(m []byte) []byte {
			if pfcp.MessageType(m[1]) == pfcp.SessionReportRequest && len(m) > 20 && m[20]&1 != 0 {
				return nil
			}
			return m
		}},
		{Name: "usage is not reported before the end", Row: "urr.threshold.volume",
			Also: []string{"urr.threshold.direction", "urr.threshold.time", "urr.quota.volume", "urr.quota.renewed",
				"urr.periodic", "urr.start"},
			Answer: func(m []byte) []byte {
				if pfcp.MessageType(m[1]) == pfcp.SessionReportRequest && len(m) > 20 && m[20]&2 != 0 {
					return nil
				}
				return m
			}},
	}
}

// repeating gives the F-TEID of one answer in each n again in the next one.
func repeating(n int) func([]byte) []byte {
	var count int
	var last []byte
	return func(m []byte) []byte {
		group := at(m, ie.CreatedPDR)
		if pfcp.MessageType(m[1]) != pfcp.SessionEstablishmentResponse || group == 0 || group+16 > len(m) {
			return m
		}
		const fteid = 6 + 4 + 1 // behind the PDR ID, the IE's header and its flags
		teid := m[group+fteid : group+fteid+4]
		if count++; count%n == 0 && last != nil {
			copy(teid, last)
		}
		last = append(last[:0], teid...)
		return m
	}
}

// at finds the first IE of a type: where its value
// begins; 0 when there is none.
func at(m []byte, typ uint16) int {
	i := 8
	if m[0]&1 != 0 {
		i = 16
	}
	for i+5 <= len(m) {
		if binary.BigEndian.Uint16(m[i:]) == typ {
			return i + 4
		}
		i += 4 + int(binary.BigEndian.Uint16(m[i+2:]))
	}
	return 0
}

func cause(m []byte) byte {
	if i := at(m, ie.Cause); i > 0 {
		return m[i]
	}
	return 0
}

func setCause(m []byte, c byte) []byte {
	if i := at(m, ie.Cause); i > 0 {
		m[i] = c
	}
	return m
}

// drifting gives each message a later Recovery Time Stamp.
func drifting() func([]byte) []byte {
	later := uint32(0)
	return func(m []byte) []byte {
		if i := at(m, ie.RecoveryTimeStamp); i > 0 && i+4 <= len(m) {
			later++
			binary.BigEndian.PutUint32(m[i:], binary.BigEndian.Uint32(m[i:])+later)
		}
		return m
	}
}

// standing gives heartbeats the Recovery Time Stamp of the association.
func standing() func([]byte) []byte {
	var stamp uint32
	return func(m []byte) []byte {
		i := at(m, ie.RecoveryTimeStamp)
		switch {
		case i == 0, i+4 > len(m):
		case pfcp.MessageType(m[1]) == pfcp.AssociationSetupRequest:
			stamp = binary.BigEndian.Uint32(m[i:])
		case pfcp.MessageType(m[1]) == pfcp.HeartbeatRequest:
			binary.BigEndian.PutUint32(m[i:], stamp)
		}
		return m
	}
}
