package smf

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/proto/pfcp"
)

func TestDialectsAreFoundByName(t *testing.T) {
	for _, d := range dialects() {
		got, err := Lookup(d.Name)
		if err != nil || got != d {
			t.Errorf("Lookup(%q) = %+v, %v", d.Name, got, err)
		}
		if d.ApplyActionOctets < 1 || d.ReportingTriggersOctets < 2 || d.Assign == "" {
			t.Errorf("%s is not complete: %+v", d.Name, d)
		}
	}
	if _, err := Lookup("acme"); err == nil || !strings.Contains(err.Error(), "eupf, open5gs") {
		t.Errorf("error %v", err)
	}
}

func TestNetworkInstanceEncodings(t *testing.T) {
	for _, test := range []struct {
		how  Instance
		name string
		want string
	}{
		{InstanceLabels, "internet", "\x08internet"},
		{InstanceLabels, "a.bc", "\x01a\x02bc"},
		{InstanceRaw, "a.bc", "a.bc"},
		{InstanceOmitted, "internet", ""},
		{InstanceLabels, "", ""},
	} {
		w := Writer{Dialect: Dialect{NetworkInstance: test.how}, Instance: test.name}
		w.Begin(pfcp.Header{Type: pfcp.SessionEstablishmentRequest})
		r := w.rulesFor(&rules.Session{})
		r.networkInstance()
		got := string(w.Bytes()[16:])
		if got != "" {
			got = got[4:]
		}
		if got != test.want {
			t.Errorf("%q by %d is %q, want %q", test.name, test.how, got, test.want)
		}
	}
}
