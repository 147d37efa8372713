package traffic

// Transit is what became of one packet, ns of CLOCK_MONOTONIC.
type Transit struct {
	Due, Sent uint64
	Arrived   uint64 // 0: it was lost
}

// Complete fills in when lost packets were due and sent, which only those that arrive
// say themselves. Slots lie gap ns apart, and the first is due at first where no packet
// says otherwise. A lost packet was sent when it was due, or when the one before it was if that
// was later: after a pause of the sender all that is due is sent at once, in order.
func Complete(list []Transit, first uint64, gap float64) {
	due, since := float64(first), 0
	var sent uint64
	for i := range list {
		p := &list[i]
		if p.Arrived != 0 {
			due, since, sent = float64(p.Due), i, p.Sent
			continue
		}
		p.Due = uint64(due + float64(i-since)*gap)
		p.Sent = max(p.Due, sent)
	}
	var next uint64 // when the next one that arrived was sent
	for i := len(list) - 1; i >= 0; i-- {
		p := &list[i]
		switch {
		case p.Arrived != 0:
			next = p.Sent
		case next != 0:
			p.Sent = min(p.Sent, next)
		}
	}
}
