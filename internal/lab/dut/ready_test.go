package dut

import (
	"context"
	"net"
	"os"
	"testing"
	"time"
)

// self is this process as a DUT's program.
type self struct {
	Resident
	exited chan struct{}
}

func (s self) Exited() <-chan struct{} { return s.exited }

func TestListens(t *testing.T) {
	socket, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	port := uint16(socket.LocalAddr().(*net.UDPAddr).Port)
	p := self{Resident: Resident{Processes: []int{os.Getpid()}}}
	if !Listens(p, port) {
		t.Errorf("port %d is not seen", port)
	}
	socket.Close()
	if Listens(p, port) {
		t.Errorf("port %d is seen after its socket is closed", port)
	}
	if Listens(self{}, port) {
		t.Error("a program without processes listens")
	}
}

func TestAwait(t *testing.T) {
	asked := 0
	third := func() bool { asked++; return asked == 3 }
	if err := Await(context.Background(), self{}, time.Minute, third); err != nil || asked != 3 {
		t.Errorf("asked %d times, error %v", asked, err)
	}
	never := func() bool { return false }
	if err := Await(context.Background(), self{}, time.Millisecond, never); err != nil {
		t.Errorf("the time is over: %v", err)
	}
	ended := self{exited: make(chan struct{})}
	close(ended.exited)
	if err := Await(context.Background(), ended, time.Hour, never); err != nil {
		t.Errorf("the program has ended: %v", err)
	}
	canceled, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Await(canceled, self{}, time.Hour, never); err == nil {
		t.Error("no error of a canceled context")
	}
}
