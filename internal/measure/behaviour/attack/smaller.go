package attack

import (
	"time"

	b "github.com/upflab/upflab/internal/measure/behaviour"
)

// Bounds of making inputs small: each try starts the UPF anew.
const (
	smallTries = 60
	smallFor   = 90 * time.Second
)

// trials plays inputs to fresh UPFs.
type trials struct {
	t        *b.T
	left     int
	deadline time.Time
}

// smaller finds few inputs of a list, kept ones, that do harm by themselves, the last of
// them cut down. again is false when the list did no harm any more.
func smaller(t *b.T, list []Input) (small []Input, again bool) {
	s := &trials{t: t, left: smallTries, deadline: time.Now().Add(smallFor)}
	tail := s.tail(list)
	if tail == nil {
		return list, false
	}
	tail = s.thin(tail)
	if len(tail) == 1 {
		tail[0] = s.shorter(tail[0])
	}
	return tail, true
}

// tail is the shortest end of the list, by doubling, that does harm; nil: none does.
func (s *trials) tail(list []Input) []Input {
	for n := 1; ; n *= 4 {
		part := list[max(0, len(list)-n):]
		if s.harms(part) {
			return append([]Input(nil), part...)
		}
		if len(part) == len(list) || s.over() {
			return nil
		}
	}
}

// thin leaves out what is not needed: halves, then quarters and so on.
func (s *trials) thin(list []Input) []Input {
	for size := len(list) / 2; size >= 1; size /= 2 {
		for at := 0; at+size <= len(list) && len(list) > 1 && !s.over(); {
			rest := append(append([]Input(nil), list[:at]...), list[at+size:]...)
			if s.harms(rest) {
				list = rest
			} else {
				at += size
			}
		}
	}
	return list
}

// shorter leaves IEs of a PFCP message out.
func (s *trials) shorter(in Input) Input {
	m, err := parse(in.Data)
	if in.Port != N4 || err != nil || string(m.bytes()) != string(in.Data) {
		return in
	}
	for n := 0; !s.over(); n++ {
		smaller := m.clone()
		if !smaller.without(n) {
			break
		}
		if cut := (Input{Port: in.Port, Data: smaller.bytes()}); s.harms([]Input{cut}) {
			m, in, n = smaller, cut, n-1
		}
	}
	return in
}

// without removes the n-th IE, counted through the groups; false: there is none.
func (m *message) without(n int) (found bool) {
	m.walk(func(list *[]*element) {
		for i := range *list {
			if n == 0 && !found {
				*list = append((*list)[:i:i], (*list)[i+1:]...)
				found = true
				return
			}
			n--
		}
	})
	return found
}

func (s *trials) over() bool {
	return s.left <= 0 || time.Now().After(s.deadline) || s.t.Ctx.Err() != nil
}

// harms plays inputs to a fresh UPF.
func (s *trials) harms(list []Input) bool {
	if s.over() {
		return false
	}
	s.left--
	harm, err := fresh(s.t, list)
	return err == nil && harm != ""
}

// fresh starts the UPF anew and plays kept inputs to it.
func fresh(t *b.T, list []Input) (harm string, err error) {
	if err := t.Restart(t.Ctx); err != nil {
		return "", err
	}
	return play(t, list)
}

// play sends kept inputs, and says what harm they did.
func play(t *b.T, list []Input) (harm string, err error) {
	g, err := aim(t)
	if err != nil {
		return "", err
	}
	defer g.close()
	for i, in := range g.live(list) {
		if err := g.send(in); err != nil {
			return "", err
		}
		if i%8 == 7 { // not faster than it reads
			time.Sleep(time.Millisecond)
		}
		if t.Lab.Alive() != nil {
			break
		}
	}
	time.Sleep(50 * time.Millisecond) // the UPF has read the last one
	return g.harm(true), t.Ctx.Err()
}
