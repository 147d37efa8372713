package external

import (
	"context"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/scenario"
)

func TestStart(t *testing.T) {
	s := &scenario.Scenario{External: &scenario.External{Dialect: "standard", PID: os.Getpid()}}
	s.N4.UPF = netip.MustParseAddr("192.0.2.9")
	i, err := Driver{}.Start(context.Background(), dut.Env{Scenario: s})
	if err != nil {
		t.Fatal(err)
	}
	e := i.Endpoint
	if e.N4.String() != "192.0.2.9:8805" || e.Dialect.Name != "standard" || e.XDP != dut.NoXDP || !e.HasN4() || !e.Containers() {
		t.Errorf("%+v", e)
	}
	if !slices.Equal(i.PIDs(), []int{os.Getpid()}) {
		t.Errorf("processes %v", i.PIDs())
	}
	if len(e.Remarks) != 0 {
		t.Errorf("with its process known: %q", e.Remarks)
	}
	if err := i.Stop(); err != nil {
		t.Error(err)
	}
	s.External.PID = 0
	if i, err = (Driver{}).Start(context.Background(), dut.Env{Scenario: s}); err != nil || i.PIDs() != nil {
		t.Errorf("with no process given: %v, %v", i.PIDs(), err)
	}
	if len(i.Endpoint.Remarks) != 1 || !strings.Contains(i.Endpoint.Remarks[0], "CPU is not measured") {
		t.Errorf("with no process given: %q", i.Endpoint.Remarks)
	}
}

// Two of the UPFs leave the PDU session container out, also where somebody else has started them.
func TestContainers(t *testing.T) {
	for name, want := range map[string]bool{"standard": true, "eupf": true, "upg-vpp": false, "nextgcore": false} {
		s := &scenario.Scenario{External: &scenario.External{Dialect: name}}
		i, err := Driver{}.Start(context.Background(), dut.Env{Scenario: s})
		if err != nil {
			t.Fatal(err)
		}
		if got := i.Endpoint.Containers(); got != want {
			t.Errorf("%s: downlink packets have a container: %t, want %t", name, got, want)
		}
	}
}

func TestStartErrors(t *testing.T) {
	for want, x := range map[string]*scenario.External{
		"external.n3_interface": nil,
		"external.dialect":      {Dialect: "nosuch"},
		"external.pid":          {Dialect: "standard", PID: 1 << 30},
	} {
		_, err := Driver{}.Start(context.Background(), dut.Env{Scenario: &scenario.Scenario{External: x}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: %v, want %q in it", x, err, want)
		}
	}
}
