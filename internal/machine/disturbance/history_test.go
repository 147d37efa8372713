package disturbance

import "testing"

const ms = uint64(1e6)

func TestUntil(t *testing.T) {
	for _, c := range []struct {
		why   string
		i     interval
		polls bool
		want  uint64
	}{
		{"idle at once: a millisecond more", interval{from: 10 * ms, to: 12 * ms, idle: 12*ms + 10}, false, 13 * ms},
		{"idle later", interval{from: 10 * ms, to: 12 * ms, idle: 20 * ms}, false, 20 * ms},
		{"not idle yet: ten times its length", interval{from: 10 * ms, to: 12 * ms}, false, 32 * ms},
		{"idle after longer than that", interval{from: 10 * ms, to: 12 * ms, idle: 100 * ms}, false, 32 * ms},
		{"a short one, never idle", interval{from: 10 * ms, to: 10*ms + 50_000}, false, 11*ms + 50_000},
		{"a CPU that polls", interval{from: 10 * ms, to: 12 * ms}, true, 13 * ms},
	} {
		if got := c.i.until(c.polls); got != c.want {
			t.Errorf("%s: %d, want %d", c.why, got, c.want)
		}
	}
}

func TestSince(t *testing.T) {
	for _, c := range []struct {
		why   string
		i     interval
		polls bool
		want  uint64
	}{
		{"the CPU had nothing to do", interval{from: 100 * ms, to: 102 * ms, rested: 100 * ms, cause: Others}, false, 100 * ms},
		{"it was busy for 5 ms", interval{from: 100 * ms, to: 102 * ms, rested: 95 * ms, cause: Others}, false, 95 * ms},
		{"it is never idle", interval{from: 100 * ms, to: 102 * ms, cause: Others}, false, 80 * ms},
		{"a pause", interval{from: 100 * ms, to: 102 * ms, rested: 99_900_000, cause: Paused}, false, 99_750_000},
		{"a CPU that polls", interval{from: 100 * ms, to: 102 * ms, cause: Others}, true, 100 * ms},
	} {
		if got := c.i.since(c.polls); got != c.want {
			t.Errorf("%s: %d, want %d", c.why, got, c.want)
		}
	}
}

func TestTouches(t *testing.T) {
	h := newHistory([]int{0}, []int{1})
	h.add(0, interval{from: 100 * ms, to: 101 * ms, cause: Paused})                               // to 102
	h.add(1, interval{from: 200 * ms, to: 202 * ms, rested: 200 * ms, cause: Others, who: "cc1"}) // to 222, until it is idle
	h.add(1, interval{from: 300 * ms, to: 301 * ms, rested: 300 * ms, cause: Paused})             // to 311
	for _, c := range []struct {
		why      string
		from, to uint64
		open     map[int]uint64
		want     bool
	}{
		{"before all", 90 * ms, 94 * ms, nil, false},
		{"ends where it may have begun", 96 * ms, 100*ms - 250_000, nil, false},
		{"touches the time in which it may have begun", 96 * ms, 100*ms - 249_999, nil, true},
		{"touches its begin", 97 * ms, 100*ms + 1, nil, true},
		{"lies in it", 200*ms + 5, 200*ms + 9, nil, true},
		{"its backlog", 101 * ms, 105 * ms, nil, true},
		{"begins where its backlog ends", 102 * ms, 106 * ms, nil, false},
		{"holds it whole", 99 * ms, 104 * ms, nil, true},
		{"the other CPU's backlog", 218 * ms, 222 * ms, nil, true},
		{"between", 250 * ms, 254 * ms, nil, false},
		{"one that still lasts", 400 * ms, 404 * ms, map[int]uint64{1: 350 * ms}, true},
		{"before one that still lasts", 340 * ms, 344 * ms, map[int]uint64{1: 350 * ms}, false},
	} {
		if got := h.touches(c.from, c.to, c.open); got != c.want {
			t.Errorf("%s: %v", c.why, got)
		}
	}
	h = newHistory(nil, []int{1})
	h.add(1, interval{from: 200 * ms, to: 202 * ms, cause: Others, who: "cc1"})
	h.add(1, interval{from: 300 * ms, to: 301 * ms, cause: Paused})
	h.idle(1, 210*ms)
	if !h.touches(206*ms, 210*ms, nil) || h.touches(210*ms, 214*ms, nil) {
		t.Error("a CPU that was idle still has a backlog, or never had")
	}
	if !h.touches(305*ms, 309*ms, nil) {
		t.Error("being idle before it settled a disturbance")
	}
}

func TestHistoryForgets(t *testing.T) {
	h := newHistory(nil, []int{3})
	for i := range uint64(1000) {
		h.add(3, interval{from: i * 100 * ms, to: i*100*ms + ms, cause: Others, who: "cc1"})
	}
	s := h.summary()
	if len(s.Entries) != 1 || s.Entries[0].Count != 1000 || s.Entries[0].CPU != 3 || s.Seconds(Others) < 0.999 || s.Seconds(Others) > 1.001 {
		t.Errorf("1000 of a millisecond are %+v", s)
	}
	h.touches(100_000*ms, 100_004*ms, nil)
	if n := len(h.over[3]); n > 101 {
		t.Errorf("%d disturbances of more than 10 s ago are remembered", n)
	}
	h.forget(200_000 * ms)
	if n := len(h.over[3]) + len(h.lasting[3]); n != 0 || len(h.summary().Entries) != 0 {
		t.Errorf("%d are left", n)
	}
}

func TestSummaryOrder(t *testing.T) {
	h := newHistory([]int{0}, []int{1})
	h.add(1, interval{from: 0, to: ms, cause: Others, who: "a"})
	h.add(1, interval{from: 0, to: 3 * ms, cause: Others, who: "b"})
	h.add(0, interval{from: 0, to: 2 * ms, cause: Paused})
	got := h.summary().Entries
	if len(got) != 3 || got[0].Who != "b" || got[1].Cause != Paused || got[2].Who != "a" {
		t.Errorf("the order is %+v", got)
	}
}

func TestLasts(t *testing.T) {
	now := 1000 * ms
	for _, c := range []struct {
		why   string
		state watchCpu
		want  uint64
	}{
		{"nothing", watchCpu{Fired: now - 100_000}, 0},
		{"stands still", watchCpu{Fired: now - 5*ms}, now - 5*ms},
		{"is idle, and may have no timers", watchCpu{Fired: now - 5*ms, Asleep: 1}, 0},
		{"it waits for somebody else", watchCpu{Fired: now, Waiting: now - 7*ms}, now - 7*ms},
		{"it has just begun to wait", watchCpu{Fired: now, Waiting: now - 7000}, 0},
		{"events found no room", watchCpu{Fired: now, Waiting: now - 7*ms, Unseen: now - 9*ms}, now - 9*ms},
	} {
		if got := lasts(&c.state, now); got != c.want {
			t.Errorf("%s: since %d, want %d", c.why, got, c.want)
		}
	}
}
