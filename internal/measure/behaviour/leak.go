package behaviour

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/upflab/upflab/internal/lab/smf/rules"
	"github.com/upflab/upflab/internal/measure/behaviour/fail"
	"github.com/upflab/upflab/internal/measure/behaviour/n4"
)

// Holdings are counts of what a UPF has of its machine, by what they are of: "entries of the BPF map far_map", "IPv4 routes".
type Holdings map[string]int

// leakRounds is how often sessions come and go. What a UPF keeps for the next ones it has after the first round; what it
// gathers rises in each of the others.
const leakRounds = 5

// leastUsers is how many sessions a round has at least.
const leastUsers = 5

// freedWithin bounds the wait for what a UPF frees later than it answers, after a round.
const freedWithin = 3 * time.Second

// Leaves has n sessions come and go in rounds, each of other UEs, and holds the UPF to what it has afterwards.
func Leaves(g *Fixture, n int, text string, round func(t *T, users []*UE) error) Step {
	return Step{Text: fmt.Sprintf("%d times, each with other UEs: %s of %d sessions. What the UPF has of the kernel does not rise from time to time",
		leakRounds, text, n), Do: func(t *T) error {
		read := t.Lab.Capabilities().Holdings
		if read == nil {
			return fail.Inapplicable("it needs to see the UPF's process and network namespace, which upflab did not start")
		}
		size := min(n, g.Room()/leakRounds)
		if size < leastUsers {
			return fail.Inapplicable("it needs %d UE addresses, and ue.pool has room for %d", leastUsers*leakRounds, g.Room())
		}
		var list []Holdings
		for k := range leakRounds {
			var users []*UE
			for i := range size {
				users = append(users, g.UE(k*size+i))
			}
			if err := round(t, users); err != nil {
				return err
			}
			h, err := left(t, read, list)
			if err != nil {
				return err
			}
			list = append(list, h)
		}
		return leaked(list, size)
	}}
}

// left reads what the UPF has until it is no more than after the round before, for as long as that may take. What is
// freed late after the first round is no less than what the second leaves.
func left(t *T, read func() (Holdings, error), before []Holdings) (h Holdings, err error) {
	for end := time.Now().Add(freedWithin); ; t.Wait(200 * time.Millisecond) {
		if h, err = read(); err != nil || t.Ctx.Err() != nil {
			return h, fail.FirstOf(err, t.Ctx.Err())
		}
		if len(before) == 0 || len(risen(before[len(before)-1], h)) == 0 || time.Now().After(end) {
			return h, nil
		}
	}
}

// risen are the keys of which there is more.
func risen(a, b Holdings) (keys []string) {
	for _, key := range slices.Sorted(maps.Keys(b)) {
		if b[key] > a[key] {
			keys = append(keys, key)
		}
	}
	return keys
}

// leaked is the failure where something rose in each round after the first.
func leaked(list []Holdings, sessions int) error {
	var found []string
	for _, key := range slices.Sorted(maps.Keys(list[len(list)-1])) {
		rises := true
		var counts []string
		for k := range list {
			rises = rises && (k == 0 || list[k][key] > list[k-1][key])
			counts = append(counts, fmt.Sprint(list[k][key]))
		}
		if rises {
			found = append(found, fmt.Sprintf("%s: %s", key, strings.Join(counts, ", ")))
		}
	}
	if len(found) == 0 {
		return nil
	}
	return fail.Because(fail.Kept, fail.NotEnforcedf(fmt.Sprintf("the UPF has as much after each round of %d sessions", sessions),
		"%v after them: %s", freedWithin, strings.Join(found, "; ")))
}

// ComeAndGo establishes a session for each UE, changes it, sends packets, and deletes it.
func ComeAndGo(change func(u *UE) rules.Change) func(t *T, users []*UE) error {
	return func(t *T, users []*UE) error {
		if err := together(t, users); err != nil {
			return err
		}
		for _, u := range users {
			if change != nil {
				c := change(u)
				if _, err := t.modify(u, "a modification", &c); err != nil {
					return err
				}
			}
			if err := Delete(u).Do(t); err != nil {
				return err
			}
			delete(t.sessions, u)
		}
		return nil
	}
}

// together establishes a session for each UE, and sends through some of them.
func together(t *T, users []*UE) error {
	for _, u := range users {
		s := Plain(u, t.Fixture)
		if _, err := t.establish(u, &s); err != nil {
			return err
		}
	}
	var list []Packet
	for _, u := range users[:min(len(users), 20)] {
		list = append(list, Up(u, ""), Down(u, ""))
	}
	if err := t.Settle(); err != nil {
		return err
	}
	return t.Send(list, CrowdPace)
}

// EndTogether establishes sessions that end with their association: end makes the message that does it, and what is to
// follow is a new association.
func EndTogether(what string, end func(t *T) []byte) func(t *T, users []*UE) error {
	return func(t *T, users []*UE) error {
		if err := together(t, users); err != nil {
			return err
		}
		if _, err := t.ask(what, end(t)); err != nil {
			return err
		}
		t.Wait(200 * time.Millisecond)
		clear(t.sessions)
		t.never, t.once = nil, nil
		if err := t.associate(t.Ctx, n4.Patience{T1: time.Second, Tries: 3}); err != nil {
			return fail.Wrongf("a new association is accepted", "%v", err)
		}
		return nil
	}
}

// RefusedAll asks for sessions that have to be refused: their downlink PDR names a FAR that is not there.
func RefusedAll(t *T, users []*UE) error {
	for _, u := range users {
		s := Plain(u, t.Fixture)
		s.PDRs[1].FAR = 77
		if err := EstablishRefused(u, "whose PDR 2 names a FAR that is not there", s).Do(t); err != nil {
			return err
		}
	}
	return nil
}
