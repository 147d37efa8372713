package fleettest

import (
	"net"
	"sync"
)

// Link is a network path to the hub that can be cut: nothing gets through, and nobody is
// told.
type Link struct {
	listener net.Listener
	to       string

	mu   sync.Mutex
	open chan struct{} // closed while the link is up
}

// Link makes a path to the hub.
func (l *Lab) Link() *Link { return l.LinkAt("127.0.0.1") }

// LinkAt makes a path to the hub from an address of this machine.
func (l *Lab) LinkAt(address string) *Link {
	l.t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(address, "0"))
	if err != nil {
		l.t.Fatal(err)
	}
	k := &Link{listener: listener, to: "127.0.0.1:" + l.port, open: make(chan struct{})}
	close(k.open)
	l.t.Cleanup(func() { listener.Close(); k.Mend() })
	go k.serve()
	return k
}

// URL is where the link's end is.
func (k *Link) URL() string { return "tls://" + k.listener.Addr().String() }

// Cut stops all that goes through.
func (k *Link) Cut() {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.open = make(chan struct{})
}

// Mend lets it go on.
func (k *Link) Mend() {
	k.mu.Lock()
	defer k.mu.Unlock()
	select {
	case <-k.open:
	default:
		close(k.open)
	}
}

func (k *Link) wait() {
	k.mu.Lock()
	open := k.open
	k.mu.Unlock()
	<-open
}

func (k *Link) serve() {
	for {
		a, err := k.listener.Accept()
		if err != nil {
			return
		}
		go func() {
			k.wait()
			b, err := net.Dial("tcp", k.to)
			if err != nil {
				a.Close()
				return
			}
			go k.copy(a, b)
			k.copy(b, a)
		}()
	}
}

func (k *Link) copy(to, from net.Conn) {
	defer to.Close()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		k.wait()
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
