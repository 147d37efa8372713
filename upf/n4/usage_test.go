package n4

import (
	"bytes"
	"fmt"
	"net/netip"
	"testing"
	"time"

	"github.com/upflab/upflab/upf/session"
)

// traffic is what the session's URR counts in a story.
type traffic struct{ up, down uint64 }

// use has the session that was established first forward packets, now.
func (b *bench) use(t traffic) {
	b.dp.Use(firstSEID, 1, session.Count{Packets: min(t.up, 1), Octets: t.up}, session.Count{Packets: min(t.down, 1), Octets: t.down}, b.now)
}

// listenBench notes what the server sends by itself.
func (b *bench) listen() *[][]byte {
	sent := &[][]byte{}
	b.requests.Numbers.Start(1)
	b.requests.Transmit = func(m []byte, _ netip.AddrPort) { *sent = append(*sent, m) }
	return sent
}

// settle does what the server does when an alarm comes, or time passes.
func (b *bench) settle() {
	for len(b.reports.Alarms) > 0 {
		b.reports.Run(<-b.reports.Alarms, b.now)
	}
	b.reports.RunTimers(b.now)
}

// TestUsageInAnswers: what is counted is in the answer to a query, to the removal of the
// URR, also where another one is created in its place, and to the session's deletion, and
// the directions are not exchanged.
func TestUsageInAnswers(t *testing.T) {
	for _, steps := range [][]string{{"query", "query-all"}, {"query-reference", "query-all-reference"}, {"remove-urr", "delete"}, {"renew-urr", "query-renewed"}, {"delete-counted"}} {
		b := newBench(t, nil)
		b.play("setup", "establish-counted")
		b.now = b.now.Add(2 * time.Second)
		b.use(traffic{1000, 500})
		b.now = b.now.Add(8 * time.Second)
		b.play(steps...)
	}
}

// TestDurationsAddUp: parts of a second that a report does not have are in a later one.
func TestDurationsAddUp(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-immediate")
	for n := range 6 {
		b.now = b.now.Add(1900 * time.Millisecond)
		b.play(fmt.Sprintf("query-duration-%d", n))
	}
}

// TestTimesOfPackets: each report has the times of its first and its last packet.
func TestTimesOfPackets(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-threshold")
	sent := b.listen()
	for range 2 {
		for _, octets := range []uint64{400, 400, 400} {
			b.now = b.now.Add(2 * time.Second)
			b.use(traffic{octets, 0})
			b.settle()
		}
	}
	b.wantSent(*sent, []string{"report-times", "report-times-again"})
}

// TestSenselessURRs: a URR that is to report what it does not measure, or all the time, is refused.
func TestSenselessURRs(t *testing.T) {
	newBench(t, nil).play("setup", "urr-threshold-flags", "urr-quota-flags", "urr-threshold-zero", "urr-time-zero", "urr-period-zero",
		"urr-threshold-durat", "urr-quota-durat", "urr-subsequent-zero", "urr-additional-zero")
	newBench(t, nil).play("setup", "establish-threshold", "update-urr-zero", "update-urr-method")
}

// TestUsageReports: each trigger leads to its report, once, with what scapy expects.
func TestUsageReports(t *testing.T) {
	for _, c := range []struct {
		story   string
		begin   string
		traffic []traffic // ten seconds after each other
		reports []string
	}{
		{"volume threshold", "establish-threshold", []traffic{{600, 500}, {0, 1200}}, []string{"report-threshold", "report-threshold-again"}},
		{"below the threshold", "establish-threshold", []traffic{{600, 399}}, nil},
		{"period", "establish-periodic", []traffic{{}}, []string{"report-periodic"}},
		{"volume quota", "establish-quota", []traffic{{0, 1000}, {0, 0}}, []string{"report-quota"}},
		{"uplink has no quota", "establish-quota", []traffic{{5000, 0}}, nil},
		{"start of traffic", "establish-start", []traffic{{7, 0}, {7, 0}}, []string{"report-start"}},
	} {
		t.Run(c.story, func(t *testing.T) {
			b := newBench(t, nil)
			b.play("setup", c.begin)
			sent := b.listen()
			for _, one := range c.traffic {
				b.now = b.now.Add(10 * time.Second)
				b.use(one)
				b.settle()
			}
			b.wantSent(*sent, c.reports)
		})
	}
}

func (b *bench) wantSent(sent [][]byte, names []string) {
	b.t.Helper()
	if len(sent) != len(names) {
		b.t.Fatalf("%d reports %x, want %v", len(sent), sent, names)
	}
	for i, name := range names {
		if want := b.pairs[name].request; !bytes.Equal(sent[i], want) {
			b.t.Errorf("%s:\n got %x\nwant %x", name, sent[i], want)
		}
	}
}

// TestTimeQuota: time counts from the first packet; when it is used up nothing more is
// forwarded.
func TestTimeQuota(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-time")
	sent := b.listen()
	b.now = b.now.Add(10 * time.Second)
	b.use(traffic{7, 0})
	b.settle()
	b.now = b.now.Add(4 * time.Second)
	b.settle()
	b.wantSent(*sent, nil)
	b.now = b.now.Add(time.Second)
	b.settle()
	b.wantSent(*sent, []string{"report-time"})
	if !b.dp.Limits(firstSEID, 1).Closed {
		t.Error("the datapath goes on forwarding")
	}
}

// pass lets time pass in steps of a second.
func (b *bench) pass(seconds int) {
	for range seconds {
		b.now = b.now.Add(time.Second)
		b.settle()
	}
}

// TestStopOfTraffic: ten seconds without a packet, and then a start again.
func TestStopOfTraffic(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-stop")
	sent := b.listen()
	b.pass(10)
	b.use(traffic{7, 0})
	b.settle()
	b.wantSent(*sent, []string{"report-start"})
	b.pass(5)
	b.use(traffic{0, 7})
	b.pass(9)
	b.wantSent(*sent, []string{"report-start"})
	b.pass(4) // it is looked all 1.25 s
	b.wantSent(*sent, []string{"report-start", "report-stop"})
	b.use(traffic{7, 0})
	b.settle()
	b.wantSent(*sent, []string{"report-start", "report-stop", "report-start-again"})
}

// TestQuotaEnds: by its holding time without a packet, by its validity time in any case;
// when it is given anew the datapath forwards again.
func TestQuotaEnds(t *testing.T) {
	for _, c := range []struct{ begin, report string }{{"establish-holding", "report-holding"}, {"establish-validity", "report-validity"}} {
		b := newBench(t, nil)
		b.play("setup", c.begin)
		sent := b.listen()
		b.pass(10)
		b.use(traffic{7, 0})
		b.pass(9)
		b.wantSent(*sent, nil)
		b.pass(13)
		got := bytes.Clone((*sent)[0])
		if len(*sent) != 1 || len(got) != len(b.pairs[c.report].request) {
			t.Fatalf("%s: sent %x, want %x", c.begin, *sent, b.pairs[c.report].request)
		}
		if trigger := b.pairs[c.report].request; !bytes.Equal(got[:52], trigger[:52]) {
			t.Errorf("%s: sent\n%x, want\n%x", c.begin, got, trigger)
		}
		if !b.dp.Limits(firstSEID, 1).Closed {
			t.Errorf("%s: the datapath goes on forwarding", c.begin)
		}
		b.play("more-validity")
		if b.dp.Limits(firstSEID, 1).Closed {
			t.Errorf("%s: the datapath does not forward by the new quota", c.begin)
		}
	}
}

// TestLinked: a URR is reported with the one that it is linked to.
func TestLinked(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-linked")
	sent := b.listen()
	b.now = b.now.Add(10 * time.Second)
	b.use(traffic{600, 500})
	b.settle()
	b.wantSent(*sent, []string{"report-linked"})
}

// TestLinkedIsRemoved: a URR that is removed is linked to no more, and the session goes on.
func TestLinkedIsRemoved(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-linked", "linked-removed", "modify-handover")
	if r := b.rules(); len(r.URRs) != 1 || len(r.URRs[0].Asked.Linked) != 0 {
		t.Errorf("URRs %+v, want one that is linked to none", r.URRs)
	}
}

// TestQuotaIsRenewed: a quota that is used up stays so until another is given, which
// counts from then.
func TestQuotaIsRenewed(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-quota")
	b.listen()
	b.use(traffic{0, 1200})
	b.settle()
	if got, want := b.dp.Limits(firstSEID, 1).Quota, (session.Octets{Downlink: 1000}); got != want {
		t.Errorf("quota %+v, want %+v", got, want)
	}
	b.play("more-quota")
	if got, want := b.dp.Limits(firstSEID, 1).Quota, (session.Octets{Downlink: 1700}); got != want {
		t.Errorf("quota %+v after the renewal, want %+v", got, want)
	}
}

// TestReportIsRepeated: a report is sent again until it is answered, and given up after
// that.
func TestReportIsRepeated(t *testing.T) {
	b := newBench(t, nil)
	b.play("setup", "establish-periodic")
	b.listen()
	b.now = b.now.Add(10 * time.Second)
	b.settle()
	b.now = b.now.Add(time.Second)
	if due := b.requests.Due(b.associations.Tunables().Heartbeat, b.now); len(due) != 1 ||
		!bytes.Equal(due[0].Message, b.pairs["report-periodic"].request) {
		t.Fatalf("sent again: %v", due)
	}
	b.raw(b.pairs["report-periodic"].answer)
	b.now = b.now.Add(time.Second)
	if due := b.requests.Due(b.associations.Tunables().Heartbeat, b.now); len(due) != 0 || len(b.requests.Waiting) != 0 {
		t.Errorf("sent again after the answer: %v", due)
	}
	b.now = b.now.Add(8 * time.Second)
	b.settle()
	for range 10 {
		b.now = b.now.Add(time.Second)
		b.requests.Due(b.associations.Tunables().Heartbeat, b.now)
	}
	if n := b.Counters().ReportsLost; n != 1 || len(b.requests.Waiting) != 0 {
		t.Errorf("%d reports are counted as lost, %d wait; want 1 and 0", n, len(b.requests.Waiting))
	}
}
