package n4

import (
	"testing"

	"github.com/upflab/upflab/internal/proto/pfcp"
)

// TestQueuesAreBounded: what waits is limited in number for each queue and in octets for all.
func TestQueuesAreBounded(t *testing.T) {
	fill := func(size, most int) (taken int) {
		release := make(chan struct{})
		q := newQueues(func(datagram) { <-release })
		defer q.close()
		defer close(release)
		for taken = 0; taken < most && q.put(pfcp.Header{SEID: 4}, datagram{octets: make([]byte, size)}); taken++ {
		}
		return taken
	}
	// One more than the queue holds may be with the goroutine that works on it.
	if n := fill(1, 2*8192); n < 8192 || n > 8192+1 {
		t.Errorf("%d small requests wait in one queue, want 8192", n)
	}
	if n := fill(64000, 8192); n != (16<<20)/64000 {
		t.Errorf("%d requests of 64000 octets wait, want 16 MiB", n)
	}
}
