package tpacket

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// room is an account of a socket's send buffer, so that the kernel never lacks room for a
// frame: what it does not take then was dropped by the driver.
type room struct {
	size int // of the buffer, octets
	free int // of it, at least
}

func (r *room) init(fd int) (err error) {
	if r.size, err = unix.GetsockoptInt(fd, unix.SOL_SOCKET, unix.SO_SNDBUF); err != nil {
		return fmt.Errorf("read the size of the send buffer: %w", err)
	}
	r.free = r.size
	return nil
}

// claim gives those of the first frames that there is room for; unix.EAGAIN when there is
// none for the first one.
func (r *room) claim(fd int, frames []Parts) ([]Parts, error) {
	need := 0
	for i := range frames {
		need += charge(&frames[i])
	}
	if need > r.free {
		under, err := unix.IoctlGetInt(fd, unix.SIOCOUTQ)
		if err != nil {
			return nil, err
		}
		r.free = r.size - under
		for ; need > r.free && len(frames) > 0; frames = frames[:len(frames)-1] {
			need -= charge(&frames[len(frames)-1])
		}
		if len(frames) == 0 {
			return nil, unix.EAGAIN
		}
	}
	r.free -= need
	return frames, nil
}

// charge is what a frame takes of a send buffer, at most: the kernel makes its memory a power
// of two, and adds what it knows of the frame.
func charge(f *Parts) int {
	const known = 1024
	return 2 * (f.len() + known)
}
