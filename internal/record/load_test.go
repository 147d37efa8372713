package record

import (
	"encoding/json"
	"reflect"
	"testing"
)

func TestLoadsReadBack(t *testing.T) {
	for text, want := range map[string]Load{
		"max": {}, "recorded": {Kind: LoadRecorded}, "150k": {PPS: 150e3}, "1.5M": {PPS: 1.5e6}, "1234567": {PPS: 1234567},
		"10 % of NDR":                {Kind: LoadShare, Share: 0.1, Of: GoalNDR},
		"100 % of throughput":        {Kind: LoadShare, Share: 1, Of: GoalThroughput},
		"50 % of NDR of eupf:native": {Kind: LoadShare, Share: 0.5, Of: GoalNDR, OfDUT: "eupf:native"},
		"90 % soak":                  {Kind: LoadSoak, Share: 0.9},
		"20k soak":                   {Kind: LoadSoak, PPS: 20e3},
		"my-goal":                    {Kind: LoadGoal, Of: "my-goal"},
	} {
		var got Load
		if err := got.UnmarshalText([]byte(text)); err != nil || got != want {
			t.Errorf("%q reads as %+v, %v; want %+v", text, got, err, want)
		}
		if want.String() != text {
			t.Errorf("%+v is written %q, want %q", want, want, text)
		}
	}
}

// TestTrialKeepsItsRate: JSON has the text of a load and its rate as two fields.
func TestTrialKeepsItsRate(t *testing.T) {
	want := Trial{Kind: KindLatency, Direction: Uplink, Load: Load{Kind: LoadShare, PPS: 123456.5, Share: 0.1, Of: GoalNDR},
		Judgement: Judgement{Reasons: []string{}}}
	data, err := json.Marshal([]Trial{want})
	if err != nil {
		t.Fatal(err)
	}
	var raw []map[string]any
	if err := json.Unmarshal(data, &raw); err != nil {
		t.Fatal(err)
	}
	if raw[0]["load"] != "10 % of NDR" || raw[0]["offered_pps"] != 123456.5 {
		t.Errorf("load %v, offered_pps %v", raw[0]["load"], raw[0]["offered_pps"])
	}
	var got []Trial
	if err := json.Unmarshal(data, &got); err != nil || !reflect.DeepEqual(got[0], want) {
		t.Errorf("reads back as %+v, %v", got, err)
	}
}

// TestKeys: what makes two trials the same.
func TestKeys(t *testing.T) {
	at := func(l Load) *Trial {
		return &Trial{Kind: KindLatency, Direction: Uplink, PacketSize: PacketSize{Size: "1400", PayloadBytes: 1400}, Sessions: 1, Load: l}
	}
	share := func(pps float64) *Trial { return at(Load{Kind: LoadShare, PPS: pps, Share: 0.5, Of: GoalNDR}) }
	if share(1000).Key() != share(2000).Key() {
		t.Error("a share is another trial at another rate")
	}
	if share(1000).KeyAtRate() != at(Load{Kind: LoadShare, PPS: 1000, Share: 0.5, Of: GoalNDR, OfDUT: "upf"}).KeyAtRate() {
		t.Error("the same rate is another trial")
	}
	if at(Load{PPS: 20e3}).Key() == at(Load{Kind: LoadSoak, PPS: 20e3}).Key() {
		t.Error("a soak is the trial of its load")
	}
	frame := at(Load{})
	frame.Size = "frame:512"
	if frame.Key() == at(Load{}).Key() || frame.Key().Bare() != at(Load{}).Key().Bare() {
		t.Error("the size is not part of the key")
	}
}
