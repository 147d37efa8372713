package xdp

import (
	"encoding/binary"
	"fmt"

	"github.com/upflab/upflab/internal/traffic"
)

// passages reads the first n packets.
func (k *recording) passages(n int) ([]traffic.Transit, error) {
	const each = 24 // octets: struct passage
	b := make([]byte, each*min(n, k.room))
	if _, err := k.memory.ReadAt(b, 0); err != nil {
		return nil, fmt.Errorf("read what was recorded: %w", err)
	}
	list := make([]traffic.Transit, len(b)/each)
	for i := range list {
		p := b[i*each:]
		list[i] = traffic.Transit{Due: binary.NativeEndian.Uint64(p), Sent: binary.NativeEndian.Uint64(p[8:]),
			Arrived: binary.NativeEndian.Uint64(p[16:])}
	}
	return list, nil
}
