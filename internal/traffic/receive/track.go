package receive

// A window holds which of the last sequence numbers have arrived. Copies are told
// as long as a packet is less than window - 64 behind the newest.
const (
	windowWords = 16
	window      = windowWords * 64
)

type verdict int

const (
	inOrder verdict = iota
	reordered
	duplicate
)

// track is one stream's sequence numbers, as track.h has them.
type track struct {
	next    uint64 // the highest sequence number + 1: NextExp of RFC 4737
	transit uint64 // ns, of the packet before
	jitter  uint64 // 1/16 ns, RFC 3550 clause 6.4.1
	started bool   // transit is set
	trial   uint16 // that all of this is about
	seen    [windowWords]uint64
}

// sequence gives the verdict on a packet's number.
func (k *track) sequence(seq uint64, trial uint16) verdict {
	if k.trial != trial {
		*k = track{trial: trial}
	}
	word, bit := &k.seen[seq>>6%windowWords], uint64(1)<<(seq&63)
	result := inOrder
	switch {
	case seq >= k.next:
		k.advance(seq)
	case k.next-seq > window-64:
		return reordered // too far back to tell a copy
	case *word&bit != 0:
		return duplicate
	default:
		result = reordered
	}
	*word |= bit
	return result
}

// advance clears the words that come into the window as it moves on.
func (k *track) advance(seq uint64) {
	first, last := (k.next+63)>>6, seq>>6
	if last >= first && last-first >= windowWords {
		first = last - windowWords + 1
	}
	for w := first; w <= last; w++ {
		k.seen[w%windowWords] = 0
	}
	k.next = seq + 1
}

// estimate updates the jitter with a packet's transit time, ns. false for a
// stream's first packet.
func (k *track) estimate(transit uint64) bool {
	d := int64(transit - k.transit)
	started := k.started
	k.transit, k.started = transit, true
	if !started {
		return false
	}
	k.jitter += uint64(max(d, -d)) - (k.jitter+8)>>4
	return true
}
