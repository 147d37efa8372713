package xdp

import (
	"errors"
	"net/netip"
	"os"
	"strings"
	"testing"

	"github.com/cilium/ebpf"
	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"
)

func TestConfigRefused(t *testing.T) {
	for _, c := range []struct {
		change func(*Config)
		want   string
	}{
		{func(c *Config) { c.N6 = "" }, "name both interfaces"},
		{func(c *Config) { c.N3Address = netip.MustParseAddr("2001:db8::1") }, "not IPv4"},
		{func(c *Config) { c.N3Address = netip.Addr{} }, "not IPv4"},
		{func(c *Config) { c.MaxSessions = -1 }, "not in 1.."},
		{func(c *Config) { c.Mode = "fast" }, `"fast" is none of`},
		{func(c *Config) { c.UEPools = make([]netip.Prefix, 17) }, "at most 16"},
	} {
		cfg := labConfig()
		c.change(&cfg)
		if _, err := Open(cfg); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("Open(%+v): %v, want %q", cfg, err, c.want)
		}
	}
}

func TestOpenRefused(t *testing.T) {
	buildNetwork(t)
	cfg := labConfig()
	cfg.N6 = "n9"
	if _, err := Open(cfg); err == nil || !strings.Contains(err.Error(), `"n9"`) {
		t.Errorf("no such interface: %v", err)
	}
	must(t, "forwarding off", os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("0"), 0))
	if _, err := Open(labConfig()); err == nil || !strings.Contains(err.Error(), "forwarding is off on n3") {
		t.Errorf("forwarding off: %v", err)
	}
}

// TestInterfaceTaken finds another program on N6, and leaves nothing on N3.
func TestInterfaceTaken(t *testing.T) {
	buildNetwork(t)
	first, err := Open(Config{N3: "n6", N6: "n6", N3Address: netip.MustParseAddr("198.51.100.1")})
	must(t, "Open on N6", err)
	for _, mode := range []Mode{Auto, Native, Generic} {
		cfg := labConfig()
		cfg.Mode = mode
		if _, err := Open(cfg); err == nil || !strings.Contains(err.Error(), "ip link set dev n6 xdp off") {
			t.Errorf("%s: N6 taken: %v", mode, err)
		}
	}
	must(t, "Close", first.Close())
	must(t, "Close again", first.Close())
	second, err := Open(labConfig())
	must(t, "Open when free again", err)
	must(t, "Close", second.Close())
}

// TestFallback gives Auto an interface that has no native XDP.
func TestFallback(t *testing.T) {
	buildNetwork(t)
	attrs := netlink.NewLinkAttrs()
	attrs.Name = "bridge"
	must(t, "add a bridge", netlink.LinkAdd(&netlink.Bridge{LinkAttrs: attrs}))
	cfg := labConfig()
	cfg.N6, cfg.Mode = "bridge", Auto
	dp, err := Open(cfg)
	must(t, "Open", err)
	must(t, "Close", dp.Close())
	if dp.Mode() != Generic || dp.FallbackReason() == nil || !strings.Contains(dp.FallbackReason().Error(), "bridge") {
		t.Errorf("mode %q because of %v, want generic because of bridge", dp.Mode(), dp.FallbackReason())
	}
	cfg.Mode = Native
	if _, err := Open(cfg); err == nil || !strings.Contains(err.Error(), "generic") {
		t.Errorf("native on a bridge: %v, want advice", err)
	}
}

func TestInfo(t *testing.T) {
	l := newLab(t, labConfig())
	programs, err := l.dp.Programs()
	must(t, "Programs", err)
	if len(programs) != 2 || programs[0].Interface != "n3" || programs[0].ID == programs[1].ID {
		t.Errorf("Programs() = %v", programs)
	}
	if n, err := l.dp.MemoryBytes(); err != nil || n < 64<<10 {
		t.Errorf("MemoryBytes() = %d, %v", n, err)
	}
	if l.dp.Mode() != Native || l.dp.FallbackReason() != nil {
		t.Errorf("mode %q because of %v", l.dp.Mode(), l.dp.FallbackReason())
	}
}

func TestLoadErrors(t *testing.T) {
	refused := &ebpf.VerifierError{Cause: unix.EACCES, Log: []string{"0: r0 = 1", "1: invalid access to packet", "processed 2 insns"}}
	got := explainLoad(refused).Error()
	if !strings.Contains(got, "invalid access to packet") || strings.Contains(got, "processed") {
		t.Errorf("verifier: %q", got)
	}
	if got := explainLoad(errors.Join(unix.EPERM)).Error(); !strings.Contains(got, "CAP_BPF") {
		t.Errorf("no permission: %q", got)
	}
}

func TestTry(t *testing.T) {
	if err := Try(); err != nil {
		t.Errorf("Try: %v", err)
	}
}
