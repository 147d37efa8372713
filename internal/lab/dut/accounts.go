package dut

import (
	"strings"
)

// Accounts are the counts that a UPF gives of what it does. The zero value says that it gives none.
type Accounts struct {
	// Read gives the counters that it shows, totals since it began.
	Read func() ([]Counter, error)
	// Claims say what some of them count. What has no claim is not held against the UPF.
	Claims []Claim
}

// Counter is a number that a UPF shows.
type Counter struct {
	Name  string // with its labels, as Prometheus writes them, or the members of JSON with dots between them
	Value float64
}

// Claim is what a UPF, or a standard that its names follow, says of a counter.
type Claim struct {
	// Name is the counter's, or the end of it, without regard to case. One without labels is the sum over them all.
	Name  string
	Shown Shown // where the UPF shows it
	Of    Quantity
}

// Shown is where a UPF shows a counter.
type Shown string

// The places.
const (
	ByPrometheus Shown = "Prometheus"
	ByREST       Shown = "REST"
)

// Quantity is what is counted: of packets of the user plane their number or octets, at a place; or messages of N4.
// Octets are those of T-PDUs.
type Quantity string

// The quantities. What goes into the UPF is counted whatever becomes of it, what leaves it is what it forwarded.
const (
	PacketsFromN3    Quantity = "packets into N3"
	OctetsFromN3     Quantity = "octets into N3"
	PacketsToN3      Quantity = "packets out of N3"
	OctetsToN3       Quantity = "octets out of N3"
	PacketsToN6      Quantity = "packets out of N6"
	OctetsToN6       Quantity = "octets out of N6"
	PacketsSent      Quantity = "packets out of N3 and N6"
	PacketsDropped   Quantity = "packets dropped"
	Establishments   Quantity = "session establishments asked for"
	SessionReports   Quantity = "session reports sent"
	SessionsThereAre Quantity = "sessions there are"
)

// Standard are the measurements of TS 28.552 clause 5.4 that cases can judge, as UPFs name them.
func Standard() []Claim {
	return []Claim{
		{"ep_n3_gtp_indatapktn3upf", ByPrometheus, PacketsFromN3}, {"ep_n3_gtp_outdatapktn3upf", ByPrometheus, PacketsToN3},
		{"ep_n3_gtp_indataoctn3upf", ByPrometheus, OctetsFromN3}, {"ep_n3_gtp_outdataoctn3upf", ByPrometheus, OctetsToN3},
		{"upffunction_sm_n4sessionestabreq", ByPrometheus, Establishments},
		{"upffunction_sm_n4sessionreport", ByPrometheus, SessionReports},
		{"upffunction_upf_sessionnbr", ByPrometheus, SessionsThereAre},
	}
}

// Value is what counters say of the claim: the sum over all labels. shown: there is such a counter.
func (c Claim) Value(list []Counter) (sum float64, shown bool) {
	for _, x := range list {
		name, _, labelled := strings.Cut(x.Name, "{")
		if strings.Contains(c.Name, "{") && labelled {
			name = x.Name
		}
		if strings.HasSuffix(strings.ToLower(name), strings.ToLower(c.Name)) {
			sum, shown = sum+x.Value, true
		}
	}
	return sum, shown
}
