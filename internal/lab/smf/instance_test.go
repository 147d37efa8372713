package smf

import (
	"bytes"
	"testing"
)

// A session's own Network Instance is in both PDRs and both FARs, in place of the
// client's; a UPF that knows one name gets that.
func TestSessionsOfSeveralNetworkInstances(t *testing.T) {
	one := goldenSession()
	one.NetworkInstance = "ims"
	oneName, omitted := Standard(), Standard()
	oneName.OneInstance = true
	omitted.NetworkInstance = InstanceOmitted
	for name, c := range map[string]struct {
		dialect       Dialect
		ims, internet int
	}{"standard": {Standard(), 4, 0}, "one name": {oneName, 0, 4}, "omitted": {omitted, 0, 0}} {
		client := goldenClient(c.dialect, 1)
		b := client.EstablishmentRequest(client.NewWriter(), &one).Bytes
		if ims, internet := bytes.Count(b, []byte("\x03ims")), bytes.Count(b, []byte("\x08internet")); ims != c.ims || internet != c.internet {
			t.Errorf("%s: %d times ims, %d times internet", name, ims, internet)
		}
	}
	one.NetworkInstance = "a..b"
	if err := one.Check(); err == nil {
		t.Error("an empty label is accepted")
	}
}
