package uegateway_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/lab/datanet"
	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/dut/decap"
	"github.com/upflab/upflab/internal/lab/uegateway"
	"github.com/upflab/upflab/internal/machine/program"
)

// TestTCP: downloads and uploads are whole, with and without long segments at the UE,
// and a segment that was not cut would have been counted.
func TestTCP(t *testing.T) {
	for name, c := range map[string]struct {
		driver dut.Driver
		mode   string
		uncut  bool
	}{
		"tc": {decap.Driver{}, "tc", false}, "XDP": {decap.Driver{}, "xdp", false}, "without long segments": {decap.Driver{}, "tc", true},
	} {
		t.Run(name, func(t *testing.T) {
			l := openLab(t, c.driver, c.mode, 2, func(g *uegateway.Config) { g.Uncut = c.uncut; g.Default = 1 })
			n, err := datanet.Open(datanet.Config{Namespace: l.site.Links().DNN6.NS, Address: l.dn})
			if err != nil {
				t.Fatal(err)
			}
			closing(t, n.Close)
			if got := l.ask(t, "curl", "-sS", "http://dn.test/ip"); strings.TrimSpace(got) != "10.45.0.3" {
				t.Errorf("the data network saw %q, not UE 2", got)
			}
			if got := l.ask(t, "curl", "-sS", "--interface", "10.45.0.2", "http://HTTP.dn.test/ip"); strings.TrimSpace(got) != "10.45.0.2" {
				t.Errorf("the data network saw %q, not UE 1", got)
			}
			const size = "20000000"
			if got := l.ask(t, "curl", "-sS", "-o", "/dev/null", "-w", "%{size_download}", "http://dn.test/download/20M"); got != size {
				t.Errorf("downloaded %s of %s octets", got, size)
			}
			if got := l.ask(t, "sh", "-c", "head -c "+size+" /dev/zero | curl -sS -T - http://dn.test/upload"); strings.TrimSpace(got) != size {
				t.Errorf("uploaded %s of %s octets", got, size)
			}
			if c, err := l.gateway.Counters(); err != nil || len(c.Dropped) > 0 {
				t.Errorf("counted %+v, %v", c, err)
			}
		})
	}
}

// ask is run with the data network's DNS.
func (l lab) ask(t *testing.T, args ...string) string {
	t.Helper()
	return l.runWith(t, l.dn, args...)
}

func (l lab) runWith(t *testing.T, resolver netip.Addr, args ...string) string {
	t.Helper()
	out, err := program.Output(within(t), l.gateway.Program(program.Spec{Args: args}, resolver))
	if err != nil {
		c, _ := l.gateway.Counters()
		t.Fatalf("%s: %v\n%s\n%+v", strings.Join(args, " "), err, out, c)
	}
	return string(out)
}
