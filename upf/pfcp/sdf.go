package pfcp

import (
	"strings"

	"github.com/wmnsk/go-pfcp/ie"
)

// matchesAll reports whether an SDF filter (TS 29.244 clause 8.2.5) lets every
// packet of the UE through, as the one of a default QoS flow does, so that it
// can be left out.
func matchesAll(i *ie.IE) bool {
	f, err := i.SDFFilter()
	if err != nil || f.HasTTC() || f.HasSPI() || f.HasFL() || !f.HasFD() {
		return false
	}
	words := strings.Fields(strings.TrimRight(f.FlowDescription, "\x00"))
	switch strings.Join(words, " ") {
	case "permit out ip from any to assigned", "permit out ip from any to any",
		"permit out ip from 0.0.0.0/0 to assigned", "permit out ip from 0.0.0.0/0 to 0.0.0.0/0":
		return true
	}
	return false
}
