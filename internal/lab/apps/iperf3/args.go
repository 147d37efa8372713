package iperf3

import (
	"fmt"
	"net/netip"
	"strconv"
	"time"
)

// Options say what a client does.
type Options struct {
	Server   netip.Addr
	Port     uint16
	Bind     netip.Addr // source address; the zero value: the system chooses
	Device   string     // that packets leave by; "": the system chooses
	UDP      bool
	Reverse  bool // the server sends
	Streams  int  // 1 and more
	RateBPS  uint64
	Duration time.Duration
	// Omit is sent before the duration and not counted, whole seconds: TCP's slow start.
	Omit time.Duration
	// Length is what one write has, octets: of UDP the payload of a datagram; 0: iperf3's.
	Length   int
	Interval time.Duration // of the series
}

// connectTimeout is how long the client waits for the server, ms.
const connectTimeout = "3000"

// Client is the command of a client. A rate of 0 is as fast as possible, of UDP too.
func (t Tool) Client(o Options) []string {
	args := []string{t.Path, "--client", o.Server.String(), "--port", strconv.Itoa(int(o.Port)), "--json", "--get-server-output",
		"--connect-timeout", connectTimeout, "--time", seconds(o.Duration), "--interval", seconds(o.Interval),
		"--bitrate", strconv.FormatUint(o.RateBPS, 10), "--parallel", strconv.Itoa(max(1, o.Streams))}
	if o.Bind.IsValid() {
		args = append(args, "--bind", o.Bind.String())
	}
	if o.Device != "" {
		args = append(args, "--bind-dev", o.Device)
	}
	if o.UDP {
		args = append(args, "--udp")
	}
	if o.Reverse {
		args = append(args, "--reverse")
	}
	if o.Omit > 0 {
		args = append(args, "--omit", seconds(o.Omit))
	}
	if o.Length > 0 {
		args = append(args, "--length", strconv.Itoa(o.Length))
	}
	return args
}

// Server is the command of a server that ends after one test. Its series has intervals of
// its own, which have to be those of the client.
func (t Tool) Server(at netip.AddrPort, interval time.Duration) []string {
	return []string{t.Path, "--server", "--one-off", "--json", "--bind", at.Addr().String(), "--port", strconv.Itoa(int(at.Port())),
		"--interval", seconds(interval)}
}

// seconds is a duration as iperf3 takes it; --time takes whole seconds.
func seconds(d time.Duration) string {
	s := d.Seconds()
	if s == float64(int(s)) {
		return strconv.Itoa(int(s))
	}
	return fmt.Sprintf("%.1f", s)
}
