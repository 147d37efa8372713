package tpacket

import (
	"fmt"
	"math/bits"
)

// Config is what Open opens. The interface is one of the network namespace
// of the calling thread.
type Config struct {
	Interface string
	// Frames is how many received frames the ring holds, a power of two in
	// 2..65536; DefaultFrames when 0.
	Frames int
	// MaxFrame is the longest frame that is received whole, octets from the
	// Ethernet header on, 60..65600; DefaultMaxFrame when 0.
	MaxFrame int
	// Ethertype restricts what is received, ETH_P_IP for instance; 0 receives
	// all, and before the interface's ingress classifiers see it.
	Ethertype uint16
	// Longer and AtMost restrict what is received by length, octets from the Ethernet
	// header on: longer than the one, at most as long as the other; 0 sets no limit.
	Longer, AtMost int
	// Own leaves out frames to other MAC addresses than the interface's, and broadcast and multicast.
	Own bool
	// Offload has a virtio-net header before each frame, of OffloadBytes: what is
	// left to be done to it. See Port.Offload. The port does not send then.
	Offload bool
}

// OffloadBytes is the length of struct virtio_net_hdr.
const OffloadBytes = 10

// Defaults of a Config.
const (
	DefaultFrames   = 4096
	DefaultMaxFrame = 1600
)

const (
	maxFrames   = 65536
	maxMaxFrame = 65600
	// headRoom is what the kernel puts before a frame in its slot: tpacket2_hdr,
	// a sockaddr_ll and their alignment (TPACKET2_HDRLEN), plus what it leaves
	// for the link-layer header (16) to align the network header, and a virtio-net header.
	headRoom = 32 + 20 + 12 + 16 + OffloadBytes
	minSlot  = 256
)

func (c Config) withDefaults() (Config, error) {
	if c.Frames == 0 {
		c.Frames = DefaultFrames
	}
	if c.MaxFrame == 0 {
		c.MaxFrame = DefaultMaxFrame
	}
	switch {
	case c.Interface == "":
		return c, fmt.Errorf("afpacket: no interface named: give one, as `ip link` shows it")
	case c.Frames < 2 || c.Frames > maxFrames || c.Frames&(c.Frames-1) != 0:
		return c, fmt.Errorf("afpacket: a ring of %d frames: give a power of two in 2..%d", c.Frames, maxFrames)
	case c.MaxFrame < 60 || c.MaxFrame > maxMaxFrame:
		return c, fmt.Errorf("afpacket: frames of up to %d octets: give 60..%d", c.MaxFrame, maxMaxFrame)
	}
	return c, nil
}

// slot is the size of a frame's place in the ring: a power of two, so that
// blocks of whole pages hold whole slots.
func (c Config) slot() int {
	return max(minSlot, 1<<bits.Len(uint(c.MaxFrame+headRoom-1)))
}
