package impair

// counts are Counts as they are kept.
type counts struct {
	received, forwarded, duplicated, reordered, corrupted, wrongTEID, marked, right uint64
	lost                                                                            [causes]uint64
}

func (c *counts) view() Counts {
	v := Counts{
		Received: c.received, Forwarded: c.forwarded, Duplicated: c.duplicated, Reordered: c.reordered,
		Corrupted: c.corrupted, WrongTEID: c.wrongTEID, Marked: c.marked, Right: c.right, Lost: map[string]uint64{},
	}
	for i, name := range Causes() {
		if c.lost[i] > 0 {
			v.Lost[name] = c.lost[i]
		}
	}
	return v
}

// account is a Trial as it is kept.
type account struct {
	trial uint16
	begun uint64 // which of the accounts it is
	counts
	queueMax       int
	delay, latency histogram
	jitter         [2]mean // of the delay, of the time since sending
}

type mean struct {
	sum   float64
	count uint64
}

func (m mean) value() float64 {
	if m.count == 0 {
		return 0
	}
	return m.sum / float64(m.count)
}

func (a *account) view() Trial {
	return Trial{
		Trial: a.trial, Counts: a.counts.view(), QueueMax: a.queueMax, Delay: a.delay.view(), Latency: a.latency.view(),
		DelayJitterNS: a.jitter[0].value(), SendJitterNS: a.jitter[1].value(),
	}
}

// accountsMax is how many trials are remembered.
const accountsMax = 32

// book is the ledger of one direction. All its memory is allocated at the start.
type book struct {
	totals   counts
	accounts [accountsMax]account
	used     int
	begun    uint64
	current  *account
	streams  []stream
}

func newBook(streams int) *book {
	b := &book{streams: make([]stream, streams)}
	b.reset()
	return b
}

// reset forgets everything.
func (b *book) reset() {
	clear(b.accounts[:]) // touches the memory, too
	clear(b.streams)
	b.totals, b.used, b.begun, b.current = counts{}, 0, 0, nil
}

// of is the account of a trial.
func (b *book) of(trial uint16) *account {
	if b.current != nil && b.current.trial == trial {
		return b.current
	}
	b.current = b.find(trial)
	return b.current
}

func (b *book) find(trial uint16) *account {
	for i := range b.accounts[:b.used] {
		if b.accounts[i].trial == trial {
			return &b.accounts[i]
		}
	}
	return b.open(trial)
}

// open begins an account, in the place of the oldest when there is none free.
func (b *book) open(trial uint16) *account {
	a := &b.accounts[0]
	if b.used < accountsMax {
		a = &b.accounts[b.used]
		b.used++
	} else {
		for i := range b.accounts {
			if b.accounts[i].begun < a.begun {
				a = &b.accounts[i]
			}
		}
		*a = account{}
	}
	b.begun++
	a.trial, a.begun = trial, b.begun
	return a
}

func (b *book) received(trial uint16) {
	b.totals.received++
	b.of(trial).received++
}

func (b *book) lost(trial uint16, why cause) {
	b.totals.lost[why]++
	b.of(trial).lost[why]++
}

func (b *book) queued(p *packet, inside int) {
	a := b.of(p.mark.Trial)
	a.queueMax = max(a.queueMax, inside)
}

// departed books a frame that was handed over at a time.
func (b *book) departed(d departure, at uint64) {
	p, a := d.p, b.of(d.p.mark.Trial)
	reordered := b.sequence(d, a, at)
	for _, c := range [...]*counts{&b.totals, &a.counts} {
		c.forwarded++
		c.duplicated += bit(d.copy)
		c.corrupted += bit(p.corrupt)
		c.wrongTEID += bit(p.wrongTEID)
		c.marked += bit(p.ce && !d.copy && !p.faulty())
		c.right += bit(!d.copy && !p.faulty())
		c.reordered += bit(reordered)
	}
	if d.copy {
		return
	}
	a.delay.add(at - p.arrival)
	if p.mark.Found && !p.faulty() && at > p.mark.Intended {
		a.latency.add(at - p.mark.Intended)
	}
}

// sequence follows the packet's stream and reports whether it is reordered. Only
// packets that are right and no copies are followed.
func (b *book) sequence(d departure, a *account, at uint64) bool {
	m := d.p.mark
	if d.copy || d.p.faulty() || !m.Found || int64(m.Stream) >= int64(len(b.streams)) {
		return false
	}
	s := &b.streams[m.Stream]
	if s.trial != m.Trial || !s.started {
		*s = stream{trial: m.Trial}
	}
	s.transit(a, at-d.p.arrival, at-m.Sent)
	return s.reordered(m.Sequence)
}

func bit(on bool) uint64 {
	if on {
		return 1
	}
	return 0
}

// view gives the latest accounts, at most so many, in order.
func (b *book) view(most int) []Trial {
	var order []*account
	for i := range b.accounts[:b.used] {
		order = append(order, &b.accounts[i])
	}
	sortByBegun(order)
	var all []Trial
	for _, a := range order[max(0, len(order)-most):] {
		all = append(all, a.view())
	}
	return all
}
