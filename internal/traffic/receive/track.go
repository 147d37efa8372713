package receive

// A window holds which of the last sequence numbers have arrived. Copies are
// recognised as long as a packet is less than reach - 64 behind the newest.
const (
	windowWords = 16
	reach       = windowWords * 64
	gapsKept    = 16 // that reordered packets are looked up in
	transits    = 16 // delays of the newest packets
)

type verdict int

const (
	inOrder verdict = iota
	reordered
	duplicate
)

// gap is a jump of the sequence: a packet before its end is late, or lost.
type gap struct {
	end     uint64 // the number of the packet that jumped ahead
	arrival uint64 // its place in the order of arrival
}

// track is one stream's sequence numbers, as track.h has them.
type track struct {
	next    uint64 // the highest sequence number + 1: NextExp of RFC 4737
	transit uint64 // ns, of the packet before
	jitter  uint64 // 1/16 ns, RFC 3550 clause 6.4.1
	run     uint64 // lost in a row right before the window
	arrived uint64 // packets, without duplicates
	jumps   uint64 // since the trial began
	started bool   // transit is set
	trial   uint16 // that all of this is about
	seen    [windowWords]uint64
	delays  [transits]uint64 // ns, of packet seq % transits; 0: not known
	gaps    [gapsKept]gap
}

// sequence gives the verdict on a packet's number. Runs of lost packets that end
// go to lost.
func (k *track) sequence(seq uint64, trial uint16, lost *runs) verdict {
	if k.trial != trial {
		*k = track{trial: trial}
	}
	result := inOrder
	switch {
	case seq >= k.next:
		if seq > k.next {
			k.gaps[k.jumps%gapsKept] = gap{seq, k.arrived}
			k.jumps++
		}
		k.advance(seq, lost)
	case k.next-seq > reach-64: // too far back to recognise a copy
		k.arrived++
		return reordered
	case k.has(seq):
		return duplicate
	default:
		result = reordered
	}
	k.seen[seq>>6%windowWords] |= 1 << (seq & 63)
	k.arrived++
	return result
}

func (k *track) has(seq uint64) bool { return k.seen[seq>>6%windowWords]>>(seq&63)&1 == 1 }

// advance moves the window on, so that it ends with the word of seq. Of a jump
// beyond the window nothing in between has arrived.
func (k *track) advance(seq uint64, lost *runs) {
	first, last := (k.next+63)>>6, seq>>6
	for w := first; w <= last && w < first+windowWords; w++ {
		slot := w % windowWords
		if w >= windowWords && (k.run > 0 || ^k.seen[slot] != 0) {
			k.retire(k.seen[slot], 64, lost)
		}
		k.seen[slot] = 0
	}
	if last >= first+windowWords {
		k.run += 64 * (last - first - (windowWords - 1))
	}
	k.next = seq + 1
}

// retire counts the runs that end in the lowest n bits.
func (k *track) retire(bits uint64, n int, lost *runs) {
	for range n {
		if bits&1 == 0 {
			k.run++
		} else {
			lost.end(&k.run)
		}
		bits >>= 1
	}
}

// finish counts the runs that are still in the window, and the one up to the last
// of the packets sent. Nothing of the stream may come after it.
func (k *track) finish(sent uint64, lost *runs) {
	if k.next > 0 {
		last := (k.next - 1) >> 6
		for w := last - min(last, windowWords-1); w <= last; w++ {
			k.retire(k.seen[w%windowWords], int(min(64, k.next-w<<6)), lost)
		}
	}
	if sent > k.next {
		k.run += sent - k.next
	}
	lost.end(&k.run)
}

// extent is by how many arrivals the reordered packet that has just come is late:
// since the first one with a higher number (RFC 4737 clause 4.2.2), which made the
// first of the gaps that end above it. 0: it is forgotten.
func (k *track) extent(seq uint64) (extent uint64) {
	if k.next-seq > reach-64 {
		return 0 // it may be a copy
	}
	for i := uint64(1); i <= gapsKept; i++ {
		if i > k.jumps {
			return extent
		}
		g := k.gaps[(k.jumps-i)%gapsKept]
		if g.end <= seq {
			return extent
		}
		extent = k.arrived - 1 - g.arrival
	}
	if k.jumps > gapsKept {
		return 0
	}
	return extent
}

// variation is the absolute difference of a delay and that of another packet, the
// neighbour in the sending order; false if that one is not known.
func (k *track) variation(other, delay uint64) (uint64, bool) {
	before := k.delays[other%transits]
	if other >= k.next || k.next-other > transits || !k.has(other) || before == 0 || delay == 0 {
		return 0, false
	}
	return max(before, delay) - min(before, delay), true
}

// keep notes a packet's delay for those sent right before and after it.
func (k *track) keep(seq, delay uint64) {
	if k.next-seq <= transits {
		k.delays[seq%transits] = delay
	}
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
