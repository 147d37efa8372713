package xdp

import (
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/datapath/datapathtest"
	"github.com/upflab/upflab/upf/session"
)

// counting gives a session a URR that counts both directions.
func counting(l session.Limits) func(*session.Rules) {
	return func(r *session.Rules) {
		r.URRs = []session.URR{{ID: 7, Limits: l}}
		r.PDRs[0].URRs, r.PDRs[1].URRs = []uint32{7}, []uint32{7}
		r.QERs = []session.QER{{ID: 1, QFI: 1, GateUL: true, GateDL: true}}
		r.PDRs[1].QERs = []uint32{1}
	}
}

// send gives a frame to a program several times and says how often it was forwarded.
func (l *lab) send(t *testing.T, program, name string, times int) (forwarded int) {
	t.Helper()
	in, _ := liveFrame(t, program+" "+name)
	for range times {
		if verdict, _ := l.run(t, program, in); verdict == xdpRedirect {
			forwarded++
		}
	}
	return forwarded
}

// T-PDUs of the frames, octets.
const (
	pscOctets = 20 + 8 + 32
	qfiOctets = 20 + 8 + 32
)

// TestUsageIsExact: what a URR counted, when it goes, is what was forwarded, by
// direction. Changes of the session on the way lose nothing.
func TestUsageIsExact(t *testing.T) {
	l := newLab(t, labConfig())
	r := pair(1, "10.45.0.2", 1, counting(session.Limits{}))
	must(t, "create", l.dp.Apply([]datapath.Change{{New: r}}))
	up, down := l.send(t, "n3", "psc", 30), l.send(t, "n6", "qfi", 50)
	must(t, "change", l.dp.Apply([]datapath.Change{{Old: r, New: r}}))
	up += l.send(t, "n3", "psc", 3)
	l.send(t, "n3", "ttl 1", 5) // dropped, and not counted
	var final session.Usage
	must(t, "remove", l.dp.Apply([]datapath.Change{{Old: r, Final: func(urr session.URRKey, u session.Usage) { final = u }}}))
	want := session.Usage{Uplink: session.Count{Packets: 33, Octets: 33 * pscOctets},
		Downlink: session.Count{Packets: 50, Octets: 50 * qfiOctets}}
	if up != 33 || down != 50 || final.Since(session.Usage{}).Octets() != want.Octets() ||
		final.Uplink != want.Uplink || final.Downlink != want.Downlink {
		t.Errorf("forwarded %d and %d, counted %+v, want %+v", up, down, final, want)
	}
	if since := time.Since(final.First); since < 0 || since > time.Minute {
		t.Errorf("the first packet came at %v", final.First)
	}
	l.dp.chains.sweep(time.Now().Add(time.Hour))
	if len(l.dp.usages.byKey) != 0 || l.dp.usages.table.Used() != 0 {
		t.Error("the usage is still there")
	}
}

// TestTimesOfPackets: of the first packet since the usage was marked, and of the last.
func TestTimesOfPackets(t *testing.T) {
	l := newLab(t, labConfig())
	r := pair(1, "10.45.0.2", 1, counting(session.Limits{}))
	must(t, "create", l.dp.Apply([]datapath.Change{{New: r}}))
	usage := func() session.Usage {
		u, err := l.dp.Usage(1, 7)
		must(t, "read the usage", err)
		return u
	}
	l.send(t, "n3", "psc", 1)
	time.Sleep(100 * time.Millisecond)
	l.send(t, "n6", "qfi", 1)
	was := usage()
	if apart := was.Last.Sub(was.First); apart < 80*time.Millisecond {
		t.Errorf("the last packet came %v after the first, want 100 ms", apart)
	}
	l.dp.Mark(1, 7)
	if u := usage(); !u.First.IsZero() || u.Uplink.Packets != 1 || u.Downlink.Packets != 1 {
		t.Errorf("marked: %+v, want the counts alone", u)
	}
	time.Sleep(100 * time.Millisecond)
	l.dp.Count(1, 7, session.Count{Packets: 1, Octets: 9}) // held, and sent
	if u := usage(); u.First.Sub(was.Last) < 80*time.Millisecond || u.First.Sub(u.Last).Abs() > time.Millisecond {
		t.Errorf("after the mark the first packet came at %v and the last at %v, the one before at %v", u.First, u.Last, was.Last)
	}
}

// TestQuota: packets are forwarded until the quota is used up, and again when there is
// more.
func TestQuota(t *testing.T) {
	l := newLab(t, labConfig())
	r := pair(1, "10.45.0.2", 1, counting(session.Limits{Quota: session.Octets{Uplink: 3 * pscOctets}}))
	must(t, "create", l.dp.Apply([]datapath.Change{{New: r}}))
	if n := l.send(t, "n3", "psc", 10); n != 3 {
		t.Errorf("%d packets were forwarded, want 3", n)
	}
	must(t, "more", l.dp.SetLimits(1, 7, session.Limits{Quota: session.Octets{Uplink: 5 * pscOctets}}))
	if n := l.send(t, "n3", "psc", 10); n != 2 {
		t.Errorf("%d more packets were forwarded, want 2", n)
	}
	must(t, "none", l.dp.SetLimits(1, 7, session.Limits{Closed: true}))
	if n := l.send(t, "n6", "qfi", 1); n != 0 {
		t.Error("a closed quota has room")
	}
	c, err := l.dp.Counters()
	must(t, "Counters", err)
	if n := c.Drops[datapath.ReasonQuota]; n != 7+8+1 {
		t.Errorf("%d drops, want 16: %v", n, c.Drops)
	}
}

// TestLimitsThatComeLater: limits of a URR that had none when its session was set up hold, and raise its alarm, also
// after a change of the session, and of IPv6 packets.
func TestLimitsThatComeLater(t *testing.T) {
	l := newLab(t, labConfig())
	told := make(chan session.URRKey, 100)
	l.dp.OnAlarm(func(_ uint64, urr session.URRKey) { told <- urr })
	four, six := pair(1, "10.45.0.2", 1, counting(session.Limits{})), pair(2, "10.45.0.3", 25, counting(session.Limits{}))
	six.PDRs[0].PDI.UE, six.PDRs[0].PDI.UE6 = netip.Addr{}, netip.MustParsePrefix("2001:db8:45:2::/64")
	six.PDRs[1].PDI.UE, six.PDRs[1].PDI.UE6 = netip.Addr{}, six.PDRs[0].PDI.UE6
	must(t, "create", l.dp.Apply(additions([]*session.Rules{four, six})))
	for round := range 2 {
		for seid, frames := range map[uint64][2]string{1: {"psc", "qfi"}, 2: {"ipv6 udp", "ipv6 udp"}} {
			must(t, "limit", l.dp.SetLimits(seid, 7, session.Limits{Alarm: session.Octets{Total: 1}}))
			if n := l.send(t, "n6", frames[1], 1); n != 1 {
				t.Fatalf("round %d, session %d: %q is not forwarded", round, seid, frames[1])
			}
			select {
			case <-told:
			case <-time.After(10 * time.Second):
				t.Errorf("round %d, session %d: no alarm", round, seid)
			}
			must(t, "close", l.dp.SetLimits(seid, 7, session.Limits{Closed: true}))
			if up, down := l.send(t, "n3", frames[0], 1), l.send(t, "n6", frames[1], 1); up+down != 0 {
				t.Errorf("round %d, session %d: of a closed quota %d packets went up, %d down", round, seid, up, down)
			}
			must(t, "open", l.dp.SetLimits(seid, 7, session.Limits{}))
		}
		must(t, "change", l.dp.Apply([]datapath.Change{{Old: four, New: four}, {Old: six, New: six}}))
	}
}

// TestQuotaOfAnotherGeneration: a URR that is created in the place of one with its ID has its whole quota, and what the
// first counted is given away.
func TestQuotaOfAnotherGeneration(t *testing.T) {
	l := newLab(t, labConfig())
	r := pair(1, "10.45.0.2", 1, counting(session.Limits{}))
	must(t, "create", l.dp.Apply([]datapath.Change{{New: r}}))
	l.send(t, "n3", "psc", 4)
	renewed := r.Clone()
	renewed.URRs[0] = session.URR{ID: 7, Generation: 1, Limits: session.Limits{Quota: session.Octets{Total: 3 * pscOctets}}}
	var had session.Count
	must(t, "replace", l.dp.Apply([]datapath.Change{{Old: r, New: renewed, Final: func(_ session.URRKey, u session.Usage) { had = u.Uplink }}}))
	if n := l.send(t, "n3", "psc", 10); n != 3 || had.Packets != 4 {
		t.Errorf("%d packets of 10 were forwarded, want 3; %d were counted before, want 4", n, had.Packets)
	}
	l.dp.chains.sweep(time.Now().Add(time.Hour))
	if n := l.dp.usages.table.Used(); n != 1 {
		t.Errorf("%d usages are there, want 1", n)
	}
}

// TestAlarm: a limit is told once, and again when it is set anew.
func TestAlarm(t *testing.T) {
	l := newLab(t, labConfig())
	told := make(chan session.URRKey, 100)
	l.dp.OnAlarm(func(_ uint64, urr session.URRKey) { told <- urr })
	r := pair(1, "10.45.0.2", 1, counting(session.Limits{Alarm: session.Octets{Total: 2 * pscOctets}}))
	must(t, "create", l.dp.Apply([]datapath.Change{{New: r}}))
	for round := range uint64(2) {
		l.send(t, "n3", "psc", 4)
		select {
		case urr := <-told:
			if urr != 7 {
				t.Errorf("URR %d, want 7", urr)
			}
		case <-time.After(10 * time.Second):
			t.Fatalf("round %d: no alarm", round)
		}
		must(t, "again", l.dp.SetLimits(1, 7, session.Limits{Alarm: session.Octets{Total: (6 + 4*round) * pscOctets}}))
	}
	if n := len(told); n != 0 {
		t.Errorf("%d alarms too many", n)
	}
}

// TestFailedApplyLeavesNoUsage: rules that are refused leave nothing, and the old limits.
func TestFailedApplyLeavesNoUsage(t *testing.T) {
	l := newLab(t, labConfig())
	limited := session.Limits{Quota: session.Octets{Total: 3 * pscOctets}}
	r := pair(1, "10.45.0.2", 1, counting(limited))
	must(t, "create", l.dp.Apply(additions([]*session.Rules{r, pair(2, "10.45.0.3", 3, nil)})))
	bad := pair(1, "10.45.0.2", 3, counting(session.Limits{}))
	bad.URRs = append(bad.URRs, session.URR{ID: 8})
	if err := l.dp.Apply([]datapath.Change{{Old: r, New: bad}}); err == nil {
		t.Fatal("a TEID of another session is accepted")
	}
	if n := l.send(t, "n3", "psc", 10); n != 3 {
		t.Errorf("%d packets were forwarded, want 3", n)
	}
	if n := len(l.dp.usages.byKey); n != 1 {
		t.Errorf("%d usages, want 1", n)
	}
}

func TestQuotaAction(t *testing.T) {
	l := newLab(t, labConfig())
	datapathtest.CheckQuotaAction(t, l.dp, func(program string, frame []byte) []byte {
		verdict, out := l.run(t, program, frame)
		if verdict != xdpRedirect {
			return nil
		}
		return out
	})
	l.dp.chains.sweep(time.Now().Add(time.Hour))
	for name, used := range map[string]int{"rows": l.dp.chains.rows.Used(), "blocks": l.dp.chains.blocks.Used()} {
		if used > 6 { // of the rules that there are
			t.Errorf("%d %s are in use", used, name)
		}
	}
}
