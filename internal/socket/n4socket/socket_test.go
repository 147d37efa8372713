package n4socket

import (
	"errors"
	"net"
	"net/netip"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/upflab/upflab/internal/socket/threads"
)

// pair is a socket and one of Go's that sends to it.
func pair(t *testing.T, host string) (*Socket, *net.UDPConn) {
	t.Helper()
	at := net.UDPAddrFromAddrPort(netip.AddrPortFrom(netip.MustParseAddr(host), 0))
	conn, err := net.ListenUDP("udp", at)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Take(conn)
	if err != nil {
		t.Fatal(err)
	}
	other, err := net.ListenUDP("udp", at)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(s.Close(), other.Close()); err != nil {
			t.Error(err)
		}
	})
	return s, other
}

// onThread runs a reader as its users do.
func onThread(t *testing.T, read func() error) {
	t.Helper()
	ended := make(chan error, 1)
	threads.Go(func() { ended <- read() })
	select {
	case err := <-ended:
		if err != nil {
			t.Error(err)
		}
	case <-time.After(10 * time.Second):
		t.Fatal("it does not end")
	}
}

func TestBothWays(t *testing.T) {
	for _, host := range []string{"127.0.0.1", "::1"} {
		t.Run(host, func(t *testing.T) {
			s, other := pair(t, host)
			if _, _, _, err := s.ReadNow(make([]byte, 8)); err != unix.EAGAIN {
				t.Errorf("nothing is there: %v", err)
			}
			go func() {
				time.Sleep(10 * time.Millisecond) // the reader has to wait
				other.WriteTo([]byte("asked"), s.LocalAddr())
			}()
			onThread(t, func() error {
				b := make([]byte, 8)
				n, from, err := s.ReadFrom(b)
				if err != nil || string(b[:n]) != "asked" || from.String() != other.LocalAddr().String() {
					t.Errorf("%q from %v, %v", b[:n], from, err)
				}
				_, err = s.WriteTo([]byte("answered"), from)
				return err
			})
			b := make([]byte, 16)
			other.SetReadDeadline(time.Now().Add(10 * time.Second))
			n, from, err := other.ReadFrom(b)
			if err != nil || string(b[:n]) != "answered" || from.String() != s.LocalAddr().String() {
				t.Errorf("%q from %v, %v", b[:n], from, err)
			}
		})
	}
}

// A datagram came when the kernel took it, not when it is read. The kernel begins a while
// after it was asked to.
func TestStamped(t *testing.T) {
	s, other := pair(t, "127.0.0.1")
	if err := s.Stamp(); err != nil {
		t.Fatal(err)
	}
	const clocks = time.Millisecond // that may go apart meanwhile
	for deadline := time.Now().Add(10 * time.Second); ; {
		before := time.Now()
		if _, err := other.WriteTo([]byte("x"), s.LocalAddr()); err != nil {
			t.Fatal(err)
		}
		sent := time.Now()
		time.Sleep(20 * time.Millisecond) // it is read later than it came
		_, _, at, err := s.ReadNow(make([]byte, 8))
		if err != nil {
			t.Fatal(err)
		}
		if at.After(before.Add(-clocks)) && at.Before(sent.Add(clocks)) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("sent between 0 and %v, it came at %v", sent.Sub(before), at.Sub(before))
		}
	}
}

func TestStop(t *testing.T) {
	s, _ := pair(t, "127.0.0.1")
	time.AfterFunc(10*time.Millisecond, s.Stop)
	onThread(t, func() error {
		if _, _, err := s.ReadFrom(make([]byte, 8)); !errors.Is(err, os.ErrDeadlineExceeded) {
			return errors.Join(errors.New("the wait ended otherwise"), err)
		}
		return nil
	})
	onThread(t, func() error {
		if err := s.Wait(); !errors.Is(err, os.ErrDeadlineExceeded) {
			return errors.Join(errors.New("it waits after it was stopped"), err)
		}
		return nil
	})
}

func TestClosed(t *testing.T) {
	s, other := pair(t, "127.0.0.1")
	to := other.LocalAddr().(*net.UDPAddr).AddrPort()
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s.Stop()
	if err := s.Write([]byte("x"), to); !errors.Is(err, net.ErrClosed) {
		t.Errorf("written to a closed socket: %v", err)
	}
	conn, err := net.ListenUDP("udp", nil)
	if err != nil {
		t.Fatal(err)
	}
	conn.Close()
	if _, err := Take(conn); err == nil {
		t.Error("a closed socket was taken")
	}
}
