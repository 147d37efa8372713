package smf

import (
	"net"
	"testing"
	"time"
)

// What waits in the socket came when the kernel took it.
func TestArrival(t *testing.T) {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	r := newReader(conn)
	before := time.Now()
	if _, err := conn.WriteTo([]byte("answer"), conn.LocalAddr()); err != nil {
		t.Fatal(err)
	}
	sent := time.Now()
	const late = 50 * time.Millisecond
	time.Sleep(late)
	b := make([]byte, 100)
	n, from, at, err := r.read(b)
	if err != nil || string(b[:n]) != "answer" || from.String() != conn.LocalAddr().String() {
		t.Fatalf("%q from %v: %v", b[:n], from, err)
	}
	// The two clocks are read one after the other, and one of them can be slewed.
	const unequal = 5 * time.Millisecond
	if at.Before(before.Add(-unequal)) || at.After(sent.Add(late-unequal)) {
		t.Errorf("sent between 0 and %v, it came at %v", sent.Sub(before), at.Sub(before))
	}
}
