package upf

import (
	"strings"
	"testing"

	"github.com/upflab/upflab/upf/n4/change"
	"github.com/upflab/upflab/upf/session"
)

func TestPredefinedRules(t *testing.T) {
	cfg, err := ParseConfig("upf.yaml", []byte(minimal+`
predefined_rules:
  - name: blocked
    filters: ["permit out ip from 203.0.113.0/24 to assigned", "permit out 17 from any 53 to assigned"]
    action: drop
  - name: video
    filters: ["permit out 17 from 198.51.100.0/24 5004 to assigned"]
    gate_uplink: closed
    mbr_downlink: 20000
    qfi: 7
    ppi: 0
  - {name: web, filters: ["permit out 6 from any 80 to assigned"]}
`))
	if err != nil {
		t.Fatal(err)
	}
	blocked, video, web := cfg.Predefined["blocked"], cfg.Predefined["video"], cfg.Predefined["web"]
	if len(cfg.Predefined) != 3 || len(blocked.Filters) != 2 || blocked.QER != nil || blocked.FAR == nil ||
		blocked.FAR.Action != session.Drop {
		t.Errorf("blocked is %+v", blocked)
	}
	want := session.QER{ID: change.PredefinedID("video"), GateDL: true, MBRDL: 20e6, QFI: 7, PPI: session.PPIOf(0)}
	if video.FAR != nil || video.QER == nil || *video.QER != want {
		t.Errorf("video is %+v with the QER %+v, want %+v", video, video.QER, want)
	}
	if web.FAR != nil || web.QER != nil || !web.Filters[0].HasProtocol {
		t.Errorf("web is %+v", web)
	}
}

// TestPredefinedRulesAreChecked: each bad one by its own error, and by the schema where that can tell.
func TestPredefinedRulesAreChecked(t *testing.T) {
	const filters = `filters: ["permit out ip from any to assigned"]`
	for _, c := range []struct {
		rules, want string
		bySchema    bool
	}{
		{"[{" + filters + "}]", "predefined_rules[0]: has a name of 0 octets", true},
		{"[{name: a}]", "predefined_rules[0]: has no filters", true},
		{"[{name: a, " + filters + "}, {name: a, " + filters + "}]", `predefined_rules[1].name: "a" is that of an earlier rule`, false},
		{`[{name: a, filters: ["allow all"]}]`, `predefined_rules[0].filters[0]: "allow all"`, false},
		{"[{name: a, action: redirect, " + filters + "}]", `predefined_rules[0].action: "redirect" is none of`, true},
		{"[{name: a, qfi: 64, " + filters + "}]", "predefined_rules[0].qfi: 64 is not a number in 1..63", true},
		{"[{name: a, ppi: 8, " + filters + "}]", "predefined_rules[0].ppi: 8 is not a number in 0..7", true},
		{"[{name: a, mbr_uplink: 0, " + filters + "}]", "predefined_rules[0].mbr_uplink: 0 is not a number", true},
		{"[{name: a, gate_uplink: shut, " + filters + "}]", `predefined_rules[0].gate_uplink: "shut" is none of`, true},
	} {
		text := minimal + "predefined_rules: " + c.rules + "\n"
		if _, err := ParseConfig("upf.yaml", []byte(text)); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", c.rules, err, c.want)
		}
		if err := valid(t, text); (err != nil) != c.bySchema {
			t.Errorf("%s: the schema says %v", c.rules, err)
		}
	}
}
