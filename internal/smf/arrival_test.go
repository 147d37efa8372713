package smf

import (
	"encoding/binary"
	"net"
	"testing"
	"time"

	"golang.org/x/sys/unix"
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

func TestArrivalWithoutAStamp(t *testing.T) {
	now := time.Now()
	stamp := func(at time.Time) []byte {
		b := binary.NativeEndian.AppendUint64(nil, unix.SizeofCmsghdr+16)
		b = binary.NativeEndian.AppendUint32(b, unix.SOL_SOCKET)
		b = binary.NativeEndian.AppendUint32(b, unix.SCM_TIMESTAMPNS)
		b = binary.NativeEndian.AppendUint64(b, uint64(at.Unix()))
		return binary.NativeEndian.AppendUint64(b, uint64(at.Nanosecond()))
	}
	good := stamp(now.Add(-time.Second))
	if got := arrival(good, now); got.Sub(now) != -time.Second {
		t.Errorf("a second ago is %v", got.Sub(now))
	}
	other := append([]byte(nil), good...)
	other[12]++
	for story, b := range map[string][]byte{"nothing": nil, "cut short": good[:len(good)-1], "of another kind": other,
		"of the future": stamp(now.Add(time.Second)), "of an hour ago": stamp(now.Add(-time.Hour))} {
		if got := arrival(b, now); !got.Equal(now) {
			t.Errorf("%s: %v", story, got.Sub(now))
		}
	}
}
