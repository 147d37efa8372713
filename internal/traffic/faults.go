package traffic

import "github.com/upflab/upflab/internal/record"

// Faults are the reasons for which a packet that arrives is wrong, as reports name
// them. They are in the order of enum wrong in xdp/bpf/sink.c.
func Faults() []record.Place {
	return []record.Place{
		"destination MAC", "outer IP header", "outer UDP header", "GTP-U header", "TEID",
		"no PDU session container", "QFI", "not encapsulated", "still encapsulated", "inner IP header",
		"inner address", "inner UDP header", "inner UDP checksum", "payload", "signature",
	}
}
