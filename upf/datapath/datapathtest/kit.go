// Package datapathtest is the test kit that every datapath passes: what Apply
// promises, whatever moves the packets.
package datapathtest

import (
	"errors"
	"testing"

	"github.com/upflab/upflab/upf/datapath"
	"github.com/upflab/upflab/upf/session"
)

// Run tests the datapaths that open makes. Each is opened empty with room for
// four sessions at least, and closed by the kit.
func Run(t *testing.T, open func(testing.TB) datapath.Datapath) {
	for _, c := range []struct {
		name string
		test func(*testing.T, datapath.Datapath)
	}{
		{"a session can be added, changed and deleted", testLife},
		{"what is deleted can be added again", testReuse},
		{"the PDRs of a session may share a key", testShared},
		{"a duplicate TEID is refused", testDuplicateTEID},
		{"a duplicate UE address is refused", testDuplicateUE},
		{"a refused change leaves the old rules", testRefusedChange},
		{"one refused change refuses the batch", testAtomicBatch},
		{"counters of an idle datapath are zero", testCounters},
		{"usage can be read, limited and resumed", testCapabilities},
		{"packets that were held reach a URR's alarm when they are counted", testCountedAlarm},
		{"a URR that is created in the place of one with its ID counts from 0", testGenerations},
	} {
		t.Run(c.name, func(t *testing.T) {
			dp := open(t)
			defer func() {
				if err := dp.Close(); err != nil {
					t.Errorf("Close: %v", err)
				}
			}()
			c.test(t, dp)
		})
	}
}

func testLife(t *testing.T, dp datapath.Datapath) {
	r := Session(1)
	accept(t, dp, datapath.Change{New: r})
	moved := r.Clone()
	moved.FARs[1].Outer.TEID++
	accept(t, dp, datapath.Change{Old: r, New: moved})
	accept(t, dp, datapath.Change{Old: moved})
}

func testReuse(t *testing.T, dp datapath.Datapath) {
	for range 3 {
		accept(t, dp, datapath.Change{New: Session(1)}, datapath.Change{New: Session(2)})
		accept(t, dp, datapath.Change{Old: Session(1)}, datapath.Change{Old: Session(2)})
	}
}

// testShared has several PDRs with one TEID and one UE address, which change and go.
func testShared(t *testing.T, dp datapath.Datapath) {
	r := Session(1)
	filtered(r)
	accept(t, dp, datapath.Change{New: r})
	clash := Session(2)
	clash.PDRs[0].PDI.TEID = r.PDRs[0].PDI.TEID
	refuse(t, dp, session.KindPDR, datapath.Change{New: clash})
	fewer := r.Clone()
	fewer.PDRs = fewer.PDRs[1:]
	fewer.QERs[1].MBRDL = 1e6
	accept(t, dp, datapath.Change{Old: r, New: fewer})
	refuse(t, dp, session.KindPDR, datapath.Change{New: clash})
	accept(t, dp, datapath.Change{Old: fewer})
	accept(t, dp, datapath.Change{New: clash})
}

func testDuplicateTEID(t *testing.T, dp datapath.Datapath) {
	accept(t, dp, datapath.Change{New: Session(1)})
	second := Session(2)
	second.PDRs[0].PDI.TEID = Session(1).PDRs[0].PDI.TEID
	refuse(t, dp, session.KindPDR, datapath.Change{New: second})
	accept(t, dp, datapath.Change{New: Session(2)})
}

func testDuplicateUE(t *testing.T, dp datapath.Datapath) {
	accept(t, dp, datapath.Change{New: Session(1)})
	second := Session(2)
	second.PDRs[1].PDI.UE = Session(1).PDRs[1].PDI.UE
	refuse(t, dp, session.KindPDR, datapath.Change{New: second})
	accept(t, dp, datapath.Change{New: Session(2)})
}

func testRefusedChange(t *testing.T, dp datapath.Datapath) {
	first, second := Session(1), Session(2)
	accept(t, dp, datapath.Change{New: first}, datapath.Change{New: second})
	moved := second.Clone()
	moved.PDRs[0].PDI.TEID = first.PDRs[0].PDI.TEID
	refuse(t, dp, session.KindPDR, datapath.Change{Old: second, New: moved})
	// The TEID that the refused change would have given up is still taken.
	third := Session(3)
	third.PDRs[0].PDI.TEID = second.PDRs[0].PDI.TEID
	refuse(t, dp, session.KindPDR, datapath.Change{New: third})
}

func testAtomicBatch(t *testing.T, dp datapath.Datapath) {
	first := Session(1)
	accept(t, dp, datapath.Change{New: first})
	clash := Session(3)
	clash.PDRs[1].PDI.UE = Session(2).PDRs[1].PDI.UE
	refuse(t, dp, session.KindPDR, datapath.Change{Old: first}, datapath.Change{New: Session(2)}, datapath.Change{New: clash})
	// The first session is still there, the second never came.
	refuse(t, dp, session.KindPDR, datapath.Change{New: Session(1, 9)})
	accept(t, dp, datapath.Change{New: Session(2)})
}

func testCounters(t *testing.T, dp datapath.Datapath) {
	accept(t, dp, datapath.Change{New: Session(1)})
	c, err := dp.Counters()
	if err != nil {
		t.Fatalf("Counters: %v", err)
	}
	if c.Uplink.Packets != 0 || c.Downlink.Packets != 0 || len(c.Drops) != 0 {
		t.Errorf("Counters of an idle datapath = %+v, want nothing forwarded, nothing dropped", c)
	}
}

// testCapabilities asks for usage through Capabilities, as a UPF does, and through a wrapper that
// knows nothing of them.
func testCapabilities(t *testing.T, dp datapath.Datapath) {
	can := struct{ datapath.Datapath }{dp}.Capabilities()
	if can.Measurer == nil {
		t.Fatal("the datapath counts no usage")
	}
	r := Session(1)
	r.URRs = []session.URR{{ID: 7}}
	r.PDRs[0].URRs = []uint32{7}
	want := session.Usage{}
	if can.Resume != nil {
		want.Uplink = session.Count{Packets: 3, Octets: 300}
		can.Resume(1, 7, want)
	}
	accept(t, dp, datapath.Change{New: r})
	if got, err := can.Measurer.Usage(1, 7); err != nil || got.Uplink != want.Uplink || got.Downlink != want.Downlink {
		t.Errorf("usage %+v, %v, want %+v", got, err, want)
	}
	if err := can.Measurer.SetLimits(1, 7, session.Limits{Closed: true}); err != nil {
		t.Error(err)
	}
	if _, err := can.Measurer.Usage(1, 8); err == nil {
		t.Error("a URR that is not there has usage")
	}
}

// testCountedAlarm counts packets that somebody else sent. A datapath that holds none has nothing to show.
func testCountedAlarm(t *testing.T, dp datapath.Datapath) {
	can, told := dp.Capabilities(), 0
	if can.Holder == nil {
		return
	}
	can.Measurer.OnAlarm(func(seid uint64, urr session.URRKey) { told++ })
	r := Session(1)
	r.URRs = []session.URR{{ID: 7, Limits: session.Limits{Alarm: session.Octets{Downlink: 250}}}}
	r.PDRs[1].URRs = []uint32{7}
	accept(t, dp, datapath.Change{New: r})
	for n, want := range []int{0, 0, 1, 1} {
		can.Holder.Count(1, 7, session.Count{Packets: 1, Octets: 100})
		if told != want {
			t.Errorf("after %d packets of 100 octets: %d alarms of 250 octets, want %d", n+1, told, want)
		}
	}
	u, err := can.Measurer.Usage(1, 7)
	if want := (session.Count{Packets: 4, Octets: 400}); err != nil || u.Downlink != want {
		t.Errorf("counted %+v, %v, want %+v", u.Downlink, err, want)
	}
}

// testGenerations replaces a URR by another one with its ID: what the first counted is given away, and a change that is
// refused leaves it as it was.
func testGenerations(t *testing.T, dp datapath.Datapath) {
	can := dp.Capabilities()
	r := Session(1)
	r.URRs = []session.URR{{ID: 7, Generation: 3}}
	r.PDRs[0].URRs = []uint32{7}
	key := r.URRs[0].Key()
	had := session.Usage{}
	if can.Resume != nil {
		had.Uplink = session.Count{Packets: 3, Octets: 300}
		can.Resume(1, key, had)
	}
	accept(t, dp, datapath.Change{New: r}, datapath.Change{New: Session(2)})
	renewed := r.Clone()
	renewed.URRs[0].Generation++
	clash := renewed.Clone()
	clash.PDRs[0].PDI.TEID = Session(2).PDRs[0].PDI.TEID
	refuse(t, dp, session.KindPDR, datapath.Change{Old: r, New: clash})
	if got, err := can.Measurer.Usage(1, key); err != nil || got.Uplink != had.Uplink {
		t.Errorf("after a refused change: usage %+v, %v, want %+v", got, err, had)
	}
	finals := map[session.URRKey]session.Count{}
	accept(t, dp, datapath.Change{Old: r, New: renewed, Final: func(k session.URRKey, u session.Usage) { finals[k] = u.Uplink }})
	if len(finals) != 1 || finals[key] != had.Uplink {
		t.Errorf("gave away %v, want %+v of %#x", finals, had.Uplink, key)
	}
	if got, err := can.Measurer.Usage(1, renewed.URRs[0].Key()); err != nil || got.Uplink != (session.Count{}) {
		t.Errorf("the new URR: usage %+v, %v, want none", got, err)
	}
	if _, err := can.Measurer.Usage(1, key); err == nil {
		t.Error("the URR that is gone has usage")
	}
}

func accept(t *testing.T, dp datapath.Datapath, changes ...datapath.Change) {
	t.Helper()
	if err := dp.Apply(changes); err != nil {
		t.Fatalf("Apply: %v", err)
	}
}

func refuse(t *testing.T, dp datapath.Datapath, kind session.Kind, changes ...datapath.Change) {
	t.Helper()
	err := dp.Apply(changes)
	if err == nil {
		t.Fatal("Apply accepted what it must refuse")
	}
	var rule *session.RuleError
	if !errors.As(err, &rule) || rule.Kind != kind {
		t.Errorf("Apply: %v, want a *session.RuleError for a %v", err, kind)
	}
}
