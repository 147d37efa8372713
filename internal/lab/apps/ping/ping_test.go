package ping

import (
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/text/fuzztest"
)

// answered is what iputils 20221126 printed, with answers changed to be late and double.
const answered = `PING 192.0.2.1 (192.0.2.1) from 10.45.0.2 : 56(84) bytes of data.
[1795314763.649566] 64 bytes from 192.0.2.1: icmp_seq=1 ttl=63 time=0.036 ms
64 bytes from 192.0.2.1: icmp_seq=3 ttl=63 time=0.045 ms
64 bytes from 192.0.2.1: icmp_seq=2 ttl=63 time=12.1 ms
64 bytes from 192.0.2.1: icmp_seq=3 ttl=63 time=0.047 ms (DUP!)
[1795314764.149566] 64 bytes from 192.0.2.1: icmp_seq=4 ttl=63 time=1052 ms

--- 192.0.2.1 ping statistics ---
5 packets transmitted, 4 received, +1 duplicates, 20% packet loss, time 94ms
rtt min/avg/max/mdev = 0.036/0.044/0.052/0.005 ms
`

const tooLong = `PING 192.0.2.1 (192.0.2.1) 1472(1500) bytes of data.
ping: local error: message too long, mtu=1400

--- 192.0.2.1 ping statistics ---
2 packets transmitted, 0 received, +2 errors, 100% packet loss, time 1001ms
`

func TestParse(t *testing.T) {
	r, err := Parse([]byte(answered))
	if err != nil {
		t.Fatal(err)
	}
	want := []time.Duration{36 * time.Microsecond, 45 * time.Microsecond, 12100 * time.Microsecond, 1052 * time.Millisecond}
	if !slices.Equal(r.RTTs, want) {
		t.Errorf("RTTs %v", r.RTTs)
	}
	if d := r.Silence - 500*time.Millisecond; d.Abs() > time.Millisecond {
		t.Errorf("longest silence %v, want 0.5 s", r.Silence)
	}
	if r.Sent != 5 || r.Received != 4 || r.Duplicates != 1 || r.Reordered != 1 {
		t.Errorf("%+v", r)
	}
}

// of6 is what iputils 20221126 printed of IPv6.
const of6 = `PING 2001:db8:6::2(2001:db8:6::2) from 2001:db8:45:2::2 : 56 data bytes
[1795314763.649566] 64 bytes from 2001:db8:6::2: icmp_seq=1 ttl=63 time=0.035 ms
[1795314764.649566] From fe80::1%ue-2m5os icmp_seq=2 Time exceeded: Hop limit
[1795314765.649566] From 2001:db8:6::1 icmp_seq=3 Destination unreachable: No route
ping: local error: message too long, mtu: 1500

--- 2001:db8:6::2 ping statistics ---
4 packets transmitted, 1 received, +3 errors, 75% packet loss, time 3000ms
rtt min/avg/max/mdev = 0.035/0.035/0.035/0.000 ms
`

func TestParseIPv6(t *testing.T) {
	r, err := Parse([]byte(of6))
	if err != nil {
		t.Fatal(err)
	}
	words := []string{"Time exceeded: Hop limit", "Destination unreachable: No route", "message too long"}
	if r.Sent != 4 || r.Received != 1 || !slices.Equal(r.RTTs, []time.Duration{35 * time.Microsecond}) || r.MTU != 1500 || !slices.Equal(r.Errors, words) {
		t.Errorf("%+v", r)
	}
}

func TestParseErrors(t *testing.T) {
	r, err := Parse([]byte(tooLong))
	if err != nil || r.Received != 0 || r.MTU != 1400 || !slices.Equal(r.Errors, []string{"message too long"}) {
		t.Errorf("%+v, %v", r, err)
	}
	if _, err := Parse([]byte("PING 192.0.2.1\nkilled")); err == nil || !strings.Contains(err.Error(), "killed") {
		t.Errorf("without a summary: %v", err)
	}
}

func TestArguments(t *testing.T) {
	line := strings.Join(Args("ping", Options{To: netip.MustParseAddr("192.0.2.1"), From: netip.MustParseAddr("10.45.0.2"), Count: 5,
		Interval: 20 * time.Millisecond, Deadline: 1500 * time.Millisecond, Payload: 1472, DontFragment: true}), " ")
	if line != "ping -n -D -W 1 -c 5 -w 2 -i 0.020 -I 10.45.0.2 -s 1472 -M do 192.0.2.1" {
		t.Error(line)
	}
}

func FuzzParse(f *testing.F) {
	fuzztest.Brief(f)
	f.Add([]byte(answered))
	f.Add([]byte(tooLong))
	f.Fuzz(func(t *testing.T, b []byte) {
		r, _ := Parse(b)
		if slices.ContainsFunc(r.RTTs, func(d time.Duration) bool { return d < 0 }) || r.Silence < 0 || r.Reordered > uint64(len(r.RTTs)) {
			t.Errorf("%+v of %q", r, b)
		}
	})
}
