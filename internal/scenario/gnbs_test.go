package scenario

import (
	"fmt"
	"strings"
	"testing"
)

func TestGNBAddresses(t *testing.T) {
	for _, c := range []struct {
		why  string
		sets []string
		want string // the addresses, or what the error says
	}{
		{"one", nil, "[192.168.13.131]"},
		{"three", []string{"gnbs=3", "sessions=3"}, "[192.168.13.131 192.168.13.132 192.168.13.133]"},
		{"without the UPF's", []string{"gnbs=3", "sessions=3", "n3.gnb=192.168.13.150"}, "[192.168.13.150 192.168.13.152 192.168.13.153]"},
		{"more than sessions", []string{"gnbs=3", "sessions=2"}, "set sessions to 3 or more"},
		{"beyond the subnet", []string{"gnbs=3", "sessions=3", "n3.gnb=192.168.13.254"}, "is not in 192.168.13.0/24"},
		{"too many", []string{"gnbs=65", "sessions=65"}, "1..64"},
		{"of hosts", []string{"gnbs=2", "sessions=2", "hosts.generators=a:n3", "hosts.sink=d:n6", "link=physical",
			"n3.device=n3", "n6.device=n6"}, "each generating host is one gNB"},
		{"of flows", []string{"gnbs=2", "sessions=2", "flows=tcp:uplink"}, "several gNBs send test packets alone"},
	} {
		s, err := Open("load-latency", c.sets, false)
		got := fmt.Sprint(err)
		if err == nil {
			got = fmt.Sprint(s.GNBs())
		}
		if !strings.Contains(got, c.want) {
			t.Errorf("%s: %s, want %s", c.why, got, c.want)
		}
	}
}
