package smf

import (
	"net"
	"testing"
	"time"
)

// What waits in the socket came when the kernel took it. The kernel begins to note that a while
// after it was asked to.
func TestArrival(t *testing.T) {
	conn, err := net.ListenUDP("udp4", &net.UDPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	r := newReader(conn)
	const late = 50 * time.Millisecond
	const unequal = 5 * time.Millisecond // two clocks, read one after the other, and one of them can be slewed
	for deadline := time.Now().Add(10 * time.Second); ; {
		before := time.Now()
		if _, err := conn.WriteTo([]byte("answer"), conn.LocalAddr()); err != nil {
			t.Fatal(err)
		}
		sent := time.Now()
		time.Sleep(late) // it is read later than it came
		b := make([]byte, 100)
		n, from, at, err := r.read(b)
		if err != nil || string(b[:n]) != "answer" || from.String() != conn.LocalAddr().String() {
			t.Fatalf("%q from %v: %v", b[:n], from, err)
		}
		if at.After(before.Add(-unequal)) && at.Before(sent.Add(late-unequal)) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("sent between 0 and %v, it came at %v", sent.Sub(before), at.Sub(before))
		}
	}
}
