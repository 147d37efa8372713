package tpacket

import (
	"fmt"
	"sync"

	"golang.org/x/sys/unix"
)

// drops adds up what the kernel forgets at each reading.
type drops struct {
	mu    sync.Mutex
	total uint64
}

// Drops is how many frames found no room in the ring since Open. It may be
// called from any goroutine.
func (p *Port) Drops() (uint64, error) {
	p.drops.mu.Lock()
	defer p.drops.mu.Unlock()
	stats, err := unix.GetsockoptTpacketStats(p.fd, unix.SOL_PACKET, unix.PACKET_STATISTICS)
	if err != nil {
		return 0, fmt.Errorf("afpacket: read the drops of %s: %w", p.name, err)
	}
	p.drops.total += uint64(stats.Drops)
	return p.drops.total, nil
}
