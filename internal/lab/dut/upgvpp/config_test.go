package upgvpp

import (
	"net/netip"
	"os"
	"testing"

	"github.com/upflab/upflab/internal/lab/dut"
	"github.com/upflab/upflab/internal/lab/site"
	"github.com/upflab/upflab/internal/lab/site/sitetest"
	"github.com/upflab/upflab/internal/machine/netdev"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/scenario"
)

// env is a testbed with the addresses of the built-in scenarios, on paper.
func env(mode string) dut.Env {
	at := func(name, mac, addr string) netdev.Port {
		p := netdev.Port{Name: name, MAC: make([]byte, 6), Addr: netip.MustParseAddr(addr), Prefix: 24}
		copy(p.MAC, mac)
		return p
	}
	return dut.Env{
		Mode: mode, CPUs: []int{1},
		Scenario: &scenario.Scenario{
			Packets: scenario.Packets{Directions: []record.Direction{record.Uplink, record.Downlink}, Sessions: 1, Payload: 1400},
			Network: scenario.Network{MTU: 1600, N4: scenario.N4{NetworkInstance: "internet"}},
		},
		Site: &sitetest.Fake{Ports: site.Links{
			GNB: at("n3-abcde", "\x02upf\x03\x01", "192.168.13.131"), UPFN3: at("n3-abcde", "\x02upf\x03\x02", "192.168.13.151"),
			DNN6: at("n6-abcde", "\x02upf\x06\x01", "192.168.16.152"), UPFN6: at("n6-abcde", "\x02upf\x06\x02", "192.168.16.151"),
			SMFN4: at("n4-abcde", "\x02upf\x04\x01", "192.168.14.111"), UPFN4: at("n4-abcde", "\x02upf\x04\x02", "192.168.14.151"),
		}},
	}
}

// VPP 24.02 with UPG-VPP v2.0.0 reads those of af_packet and af_xdp; those of dpdk
// were never read by one.
func TestConfig(t *testing.T) {
	for _, c := range []struct {
		golden, mode string
		change       func(*dut.Env)
	}{
		{"af_packet", afPacket, func(*dut.Env) {}},
		{"af_xdp", afXDP, func(*dut.Env) {}},
		{"many", afPacket, func(e *dut.Env) {
			e.CPUs, e.Scenario.Sessions, e.Scenario.Payload = []int{2, 3, 5}, 100_000, 4000
		}},
		{"dpdk", dpdk, func(*dut.Env) {}},
	} {
		e := env(c.mode)
		c.change(&e)
		v := plan(e)
		v.Plugins = "/usr/lib/x86_64-linux-gnu/vpp_plugins"
		if c.mode == dpdk {
			v.N3.PCI, v.N6.PCI = "0000:03:00.0", "0000:03:00.1"
		}
		files, err := v.render(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range []string{c.golden + ".conf", c.golden + ".vpp"} {
			compare(t, files[i], "testdata/"+name)
		}
	}
}

func compare(t *testing.T, path, golden string) {
	t.Helper()
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("UPDATE_GOLDEN") != "" {
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("%s: it is\n%s\nwant\n%s", golden, got, want)
	}
}

func TestBufferSize(t *testing.T) {
	for payload, want := range map[int]int{32: 2048, 1400: 2048, 1792: 2048, 1793: 2112, 8900: 9216} {
		if got := bufferSize(payload); got != want || got%64 != 0 {
			t.Errorf("payload %d: %d, want %d", payload, got, want)
		}
	}
}
