package capture

import (
	"net"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/upflab/upflab/internal/machine/netdev"
)

// TestReadByTshark: tshark sees the hops' names, the direction, nanoseconds, and the comment of what was sent.
func TestReadByTshark(t *testing.T) {
	tshark, err := exec.LookPath("tshark")
	if err != nil {
		t.Skip("tshark is not installed")
	}
	c := New(2)
	for _, name := range []string{"gNB N3", "N4"} {
		c.addHop(Hop{Name: name, Port: netdev.Port{MAC: net.HardwareAddr{2, 0, 0, 0, 0, 1}}, Peer: -1})
	}
	packet := append(make([]byte, 12), 0x88, 0xb5, 1, 2, 3)
	at := 1_700_000_000 * time.Second
	for i, f := range []frame{{hop: 1, at: at + 3}, {hop: 0, at: at + 123456789, out: true}, {hop: 1, at: at + 1}, {hop: 1, at: at + 4}} {
		f.bytes, f.length = packet[:14+i%3], 60
		c.add(f) // the third of a hop is one too many
	}
	c.Comment = func([]byte) string { return "goes nowhere" }
	path := t.TempDir() + "/packets.pcapng"
	if err := c.Write(path); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(tshark, "-r", path, "-T", "fields", "-e", "frame.interface_name", "-e", "frame.time_epoch",
		"-e", "frame.len", "-e", "frame.cap_len", "-e", "frame.packet_flags_direction", "-e", "frame.comment").Output()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := "N4\t1700000000.000000001\t60\t16\t1\t\nN4\t1700000000.000000003\t60\t14\t1\t\ngNB N3\t1700000000.123456789\t60\t15\t2\tgoes nowhere\n"
	got := string(out)
	for _, form := range []string{"0x00000001", "0x00000002"} {
		got = strings.ReplaceAll(got, form, strings.TrimLeft(form[2:], "0"))
	}
	if got != want {
		b, _ := os.ReadFile(path)
		t.Errorf("tshark reads %q, want %q; % x", got, want, b)
	}
}
