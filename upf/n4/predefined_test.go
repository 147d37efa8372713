package n4

import (
	"encoding/json"
	"reflect"
	"slices"
	"testing"

	"github.com/upflab/upflab/upf/n4/change"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/session"
)

// predefined are the predefined rules that testdata/gen.py names.
func predefined(t *testing.T) map[string]change.Predefined {
	t.Helper()
	flow := func(text string) []session.Filter {
		f, err := request.ParseFlow(text)
		if err != nil {
			t.Fatal(err)
		}
		return []session.Filter{f}
	}
	return map[string]change.Predefined{
		"blocked": {Filters: flow("permit out ip from 203.0.113.0/24 to assigned"),
			FAR: &session.FAR{ID: change.PredefinedID("blocked"), Action: session.Drop}},
		"video": {Filters: flow("permit out 17 from 198.51.100.0/24 5004 to assigned"),
			QER: &session.QER{ID: change.PredefinedID("video"), GateUL: true, GateDL: true, MBRDL: 1e6}},
		"web": {Filters: flow("permit out 6 from any 80 to assigned")},
		"tls": {Filters: flow("permit out 6 from any 443 to assigned")},
	}
}

// TestPredefinedRules: a PDR has the filters, the FAR and the QER of the rules that it has active, and the
// session no others; ADPDP is announced.
func TestPredefinedRules(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Predefined = predefined(t) })
	b.play("setup-predefined", "establish-predefined")
	blocked, video := change.PredefinedID("blocked"), change.PredefinedID("video")
	r := b.rules()
	if p := r.FindPDR(3); p.FAR != blocked || r.FindFAR(blocked).Action != session.Drop ||
		p.PDI.Filters[0].Remote.String() != "203.0.113.0/24" {
		t.Errorf("PDR 3 %+v, FARs %+v: want the rule's", p, r.FARs)
	}
	if p := r.FindPDR(4); p.FAR != 2 || !slices.Equal(p.QERs, []uint32{1, video}) || r.FindQER(video).MBRDL != 1e6 || len(p.PDI.Filters) != 1 {
		t.Errorf("PDR 4 %+v, QERs %+v: want the SMF's FAR and QER, and the rule's QER", p, r.QERs)
	}
	b.play("predefined-other", "predefined-own-qers")
	r = b.rules()
	if p := r.FindPDR(4); !slices.Equal(p.QERs, []uint32{1}) || len(p.PDI.Filters) != 2 || p.Precedence != 7 || r.FindQER(video) != nil {
		t.Errorf("PDR 4 %+v, QERs %+v after other rules: want their filters, and no QER of theirs", p, r.QERs)
	}
	b.play("predefined-removed")
	if r = b.rules(); r.FindFAR(blocked) != nil || len(r.FARs) != 2 {
		t.Errorf("FARs %+v without PDR 3: want the SMF's", r.FARs)
	}
	b.play("delete")
}

// TestPredefinedRuleWithoutItsFAR: where the SMF gives the PDR a FAR later, the session does not keep the rule's.
func TestPredefinedRuleWithoutItsFAR(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Predefined = predefined(t) })
	b.play("setup-predefined", "establish-predefined", "predefined-own-far")
	r := b.rules()
	if p := r.FindPDR(3); p.FAR != 1 || !slices.Equal(p.Predefined, []string{"blocked"}) || len(p.PDI.Filters) != 1 {
		t.Errorf("PDR 3 %+v: want the SMF's FAR 1, and the rule's filter", p)
	}
	if r.FindFAR(change.PredefinedID("blocked")) != nil || len(r.FARs) != 2 {
		t.Errorf("FARs %+v: want the SMF's", r.FARs)
	}
}

// TestPredefinedRulesAreRefused: what is not there, or says too much or too little; the session is as it
// was.
func TestPredefinedRulesAreRefused(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Predefined = predefined(t) })
	b.play("setup-predefined", "predefined-unknown-at-first", "predefined-no-far")
	if b.dp.Len() != 0 {
		t.Fatal("a session that was refused is in the datapath")
	}
	next := uint64(firstSEID - 1)
	b.sessions.Random = func() uint64 { next++; return next }
	b.play("establish-predefined", "predefined-other")
	before := b.rules().Clone()
	b.play("predefined-unknown", "predefined-not-active", "predefined-none-left", "predefined-two", "predefined-and-filter",
		"predefined-empty")
	if !reflect.DeepEqual(b.rules(), before) {
		t.Errorf("the rules are\n%+v, were\n%+v", b.rules(), before)
	}
}

// TestPredefinedRuleThatIsGone: a PDR keeps what it has of a rule that a restart took out of the
// configuration, while the SMF changes something else of it; it cannot be activated again.
func TestPredefinedRuleThatIsGone(t *testing.T) {
	b := newBench(t, func(c *Config) { c.Predefined = predefined(t) })
	b.play("setup-predefined", "establish-predefined")
	b.carry.Maker.Predefined = nil
	r := b.rules().Clone()
	if err := change.PredefinePDR(nil, r, &request.PDRChange{ID: 4}); err != nil || !reflect.DeepEqual(r, b.rules()) {
		t.Errorf("%v, rules %+v, were %+v", err, r, b.rules())
	}
	if err := change.PredefinePDR(nil, r, &request.PDRChange{ID: 4, Activate: []string{"web"}}); err == nil {
		t.Error("a rule that is not there is activated")
	}
	b.play("predefined-own-qers")
	if r := b.rules(); !slices.Equal(r.FindPDR(4).QERs, []uint32{1, change.PredefinedID("video")}) || r.FindQER(change.PredefinedID("video")) == nil {
		t.Errorf("PDR 4 %+v, QERs %+v: want the SMF's and the rule's", r.FindPDR(4), r.QERs)
	}
	blocked := change.PredefinedID("blocked")
	b.play("predefined-removed") // PDR 3
	if r := b.rules(); r.FindFAR(blocked) != nil {
		t.Errorf("FARs %+v without PDR 3: want the SMF's", r.FARs)
	}
}

// TestPredefinedRulesAreKept: at rest, and for the next process.
func TestPredefinedRulesAreKept(t *testing.T) {
	r := &session.Rules{SEID: 1, PDRs: []session.PDR{{ID: 1, Predefined: []string{"video", "web"}}}}
	text, err := json.Marshal(r)
	again := &session.Rules{}
	if err != nil || json.Unmarshal(text, again) != nil || !reflect.DeepEqual(r, again) {
		t.Errorf("kept as %s, %v", text, err)
	}
	if got := session.Pack(r).Rules(); !slices.Equal(got.PDRs[0].Predefined, r.PDRs[0].Predefined) {
		t.Errorf("packed as %q", got.PDRs[0].Predefined)
	}
}
