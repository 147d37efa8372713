package smf

import (
	"net"
	"net/netip"
	"strings"
	"testing"
	"time"
)

func TestConfigErrorsSayWhatToDo(t *testing.T) {
	for want, spoil := range map[string]func(*Config){
		"no connection: bind UDP port 8805": func(c *Config) { c.Conn = nil },
		"no peer: pass":                     func(c *Config) { c.Peer = nil },
		"not an address that the UPF could": func(c *Config) { c.NodeID = netip.Addr{} },
		"no dialect: start from":            func(c *Config) { c.Dialect = Dialect{} },
		"must not be negative":              func(c *Config) { c.T1 = -1 },
		"each part between dots":            func(c *Config) { c.NetworkInstance = "a..b" },
		"is not an IP address with a port":  func(c *Config) { c.Peer = &net.UnixAddr{Name: "x"} },
	} {
		cfg := Config{
			Conn: quiet{}, Peer: &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 8805},
			NodeID: netip.MustParseAddr("127.0.0.1"), Dialect: Standard(),
		}
		spoil(&cfg)
		if _, err := Dial(cfg); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestADialectCanAskForHeartbeats(t *testing.T) {
	for _, test := range []struct{ asked, want time.Duration }{
		{0, 5 * time.Second}, {time.Minute, 5 * time.Second}, {time.Second, time.Second},
	} {
		cfg := Config{
			Conn: quiet{}, Peer: &net.UDPAddr{}, NodeID: netip.MustParseAddr("127.0.0.1"),
			Dialect: SDCore(), Heartbeat: test.asked,
		}
		got, err := cfg.complete()
		if err != nil || got.Heartbeat != test.want {
			t.Errorf("heartbeat %v becomes %v, error %v", test.asked, got.Heartbeat, err)
		}
	}
}
