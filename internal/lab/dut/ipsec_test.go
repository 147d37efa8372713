package dut

import (
	"context"
	"strings"
	"testing"
)

// socketed is a driver whose N3 is a socket in one of its modes.
type socketed struct{}

func (socketed) Info() Info {
	return Info{Name: "some", Modes: []string{"xdp", "tun"}, N3Sockets: []string{"tun"}}
}
func (socketed) Installed() (string, error)                    { return "1", nil }
func (socketed) Start(context.Context, Env) (*Instance, error) { return nil, nil }

// TestTakesIPsec: IPsec of the kernel is for an N3 that is a socket of the kernel, and another mode is named where there is one.
func TestTakesIPsec(t *testing.T) {
	tun, xdp := Target{Driver: socketed{}, Mode: "tun"}, Target{Driver: socketed{}}
	if err := tun.TakesIPsec(true); err != nil {
		t.Error(err)
	}
	if err := xdp.TakesIPsec(false); err != nil {
		t.Error(err)
	}
	if err := xdp.TakesIPsec(true); err == nil || !strings.Contains(err.Error(), "use some:tun") {
		t.Errorf("%v", err)
	}
}
