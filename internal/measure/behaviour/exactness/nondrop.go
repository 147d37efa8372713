package exactness

import (
	"time"

	b "github.com/upflab/upflab/internal/measure/behaviour"
)

const (
	// mostPPS is the highest rate that is tried.
	mostPPS = 1_500_000
	// tryFor is how long a rate is tried.
	tryFor = 200 * time.Millisecond
	// tries and slower: so many rates at most, each that part of the one before.
	tries  = 12
	slower = 0.85
)

// nonDrop is the highest rate of a stream, packets/s, of which nothing is lost in short trials
// while the machine is not disturbed; 0: there is none. full is what passes of the
// highest rate that can be sent.
func nonDrop(t *b.T, s b.Stream) (rate, full float64, err error) {
	s.PPS, s.For = mostPPS, tryFor
	seen, err := t.Stream(s)
	if err != nil {
		return 0, 0, err
	}
	full = passing(&seen)
	s.PPS = full
	for range tries {
		if s.PPS *= slower; s.PPS < 1000 {
			break
		}
		if seen, err = t.Stream(s); err != nil {
			return 0, 0, err
		}
		if sent, lost := undisturbed(seen.Fates); sent > 0 && lost == 0 {
			return s.PPS, full, nil
		}
	}
	return 0, full, nil
}

// passing is at what rate packets arrive, packets/s.
func passing(u *b.Users) float64 {
	if len(u.Fates) < 2 {
		return 0
	}
	took := u.Fates[len(u.Fates)-1].Sent.Sub(u.Fates[0].Sent).Seconds()
	return float64(u.Sent-u.Lost) / took
}

// undisturbed counts packets that were sent while the machine was not disturbed; where these are
// under a tenth, all.
func undisturbed(list []b.Fate) (sent, lost int) {
	all := 0
	for i := range list {
		gone := flag(list[i].Arrived.IsZero())
		if all += gone; !list[i].Disturbed {
			sent, lost = sent+1, lost+gone
		}
	}
	if sent < len(list)/10 {
		return len(list), all
	}
	return sent, lost
}

// calm reports whether a tenth of packets at least was sent while the machine was not disturbed.
func calm(list []b.Fate) bool {
	n := 0
	for i := range list {
		n += flag(!unsteady(&list[i]))
	}
	return n > 0 && n >= len(list)/10
}
