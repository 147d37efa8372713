package record

import (
	"cmp"
	"slices"
)

// InModels reports whether a safe load, or a model, may rest on a trial: what the host cost packets
// says nothing of the DUT, and of both directions at once two queues have one latency.
func (t *Trial) InModels() bool {
	return t.Valid && t.LimitedBy != LimitHost && t.Direction != Both && t.TxPPS > 0
}

// MarkSafe marks those safe loads as lower bounds that are no higher because of loads that were
// disturbed: their latency is at most what was measured, so that the DUT may keep the target there.
func (d *DUT) MarkSafe(list []SafeLoad) {
	if d == nil {
		return
	}
	for i := range list {
		list[i].Disturbed = d.disturbedAbove(&list[i])
	}
}

// loadSeen are the repeats of a load that a safe load rests on.
type loadSeen struct {
	pps  float64 // mean
	seen []*Latency
	loss []float64
}

// disturbedAbove reports whether the lowest load above a safe load breaks its target by a latency
// that is an upper bound. A model is of all loads: its safe load is a bound, too, where latency is at
// most of them.
func (d *DUT) disturbedAbove(s *SafeLoad) bool {
	if s.AtLeast || s.Target.P99NS <= 0 {
		return false
	}
	loads := d.loadsSeen(s)
	if s.Measured || s.PPS == 0 {
		next := slices.IndexFunc(loads, func(l *loadSeen) bool { return l.pps > s.PPS*(1+sameLoad) && l.breaks(s.Target) })
		return next >= 0 && loads[next].bounded() && loads[next].keepsLoss(s.Target)
	}
	return ofHalf(loads, (*loadSeen).bounded)
}

// sameLoad is up to what difference two rates are of one load, relative: means of the same numbers.
const sameLoad = 1e-9

// bounded reports whether p99 is an upper bound in at least half of the repeats.
func (l *loadSeen) bounded() bool {
	return ofHalf(l.seen, func(x *Latency) bool { return x.AtMost(float64(x.P99)) })
}

// breaks reports whether most of the repeats do not keep a target, by their latency or their loss.
func (l *loadSeen) breaks(t LoadTarget) bool {
	n := 0
	for i, x := range l.seen {
		if float64(x.P99) > t.P99NS || t.LossRatio > 0 && l.loss[i] > t.LossRatio {
			n++
		}
	}
	return 2*n > len(l.seen)
}

// keepsLoss reports whether most of the repeats lose no more than a target allows.
func (l *loadSeen) keepsLoss(t LoadTarget) bool {
	n := 0
	for _, x := range l.loss {
		if t.LossRatio == 0 || x <= t.LossRatio {
			n++
		}
	}
	return 2*n > len(l.loss)
}

// loadsSeen are the loads that a safe load rests on, ascending: of a class its own.
func (d *DUT) loadsSeen(s *SafeLoad) (list []*loadSeen) {
	by := map[Key]*loadSeen{}
	for i := range d.Trials {
		t := &d.Trials[i]
		of := t.Stream()
		if !t.InModels() || of.Direction != s.Direction || of.Size != cmp.Or(s.Size, of.Size) || of.Arrivals != s.Arrivals {
			continue
		}
		pps, loss, latency := t.TxPPS, t.FrameLossRatio, t.Latency
		if s.Class != "" {
			at := slices.IndexFunc(t.Classes, func(c Class) bool { return c.Class == s.Class })
			if at < 0 || t.Sessions == 0 {
				continue
			}
			c := &t.Classes[at]
			pps, loss, latency = t.TxPPS*float64(c.Sessions)/float64(t.Sessions), c.FrameLossRatio, c.Latency
		}
		if latency == nil {
			continue
		}
		l := by[t.Key()]
		if l == nil {
			l = &loadSeen{}
			by[t.Key()], list = l, append(list, l)
		}
		l.pps += (pps - l.pps) / float64(len(l.seen)+1)
		l.seen, l.loss = append(l.seen, latency), append(l.loss, loss)
	}
	slices.SortStableFunc(list, func(a, b *loadSeen) int { return cmp.Compare(a.pps, b.pps) })
	return list
}
