package causes

import (
	"slices"
	"strings"
	"testing"

	"github.com/upflab/upflab/internal/measure/behaviour/cases"
	"github.com/upflab/upflab/internal/record"
)

// found makes findings: "ID symptom", with the words of refusals behind it.
func found(list ...string) (all []record.Case) {
	for _, text := range list {
		id, rest, _ := strings.Cut(text, " ")
		symptom, why, _ := strings.Cut(rest, " ")
		c := record.Case{ID: id, Symptom: symptom, Observed: why, Expected: why, Verdict: record.VerdictWrong}
		if symptom == "" {
			c.Verdict = record.VerdictEnforced
		}
		all = append(all, c)
	}
	return all
}

// TestOf: what one cause explains, and what it does not.
func TestOf(t *testing.T) {
	for _, c := range []struct {
		why  string
		list []string
		want string
	}{
		{"nothing is wrong", []string{"pdr.teid", "qer.qfi"}, ""},
		{"a checksum shows everywhere", []string{"pdr.teid inner-checksum", "far.forward.uplink inner-checksum",
			"ip.checksum inner-checksum"}, "ip.checksum:pdr.teid,far.forward.uplink"},
		{"without the case that names it, the first does", []string{"pdr.teid inner-checksum", "far.n9 inner-checksum"}, "pdr.teid:far.n9"},
		{"two faults are two", []string{"pdr.teid inner-checksum", "qer.qfi qfi", "qer.qfi.update qfi"}, "pdr.teid: qer.qfi:qer.qfi.update"},
		{"an update alone is its own", []string{"qer.qfi.update ignored"}, "qer.qfi.update:"},
		{"two variants of one are not each other's", []string{"qer.qfi.update ignored", "qer.qfi.flows ignored"},
			"qer.qfi.update: qer.qfi.flows:"},
		{"nothing passes downlink",
			[]string{"pdr.ue-address lost-downlink", "far.n9 lost-uplink", "ip.protocol.tcp lost-downlink"},
			"pdr.ue-address:ip.protocol.tcp far.n9:"},
		{"ESP alone is lost, and options", []string{"ip.protocol.esp lost-downlink", "ip.options lost-downlink"}, "ip.protocol.esp: ip.options:"},
		{"counting is wrong, and thresholds are not reported",
			[]string{"urr.volume.uplink usage", "urr.several usage", "urr.threshold.volume report",
				"urr.quota.volume report"}, "urr.volume.uplink:urr.several urr.threshold.volume:urr.quota.volume"},
		{"a chain has one end", []string{"qer.gate.uplink leaked", "qer.gate.any-of-several leaked",
			"qer.mbr.session-and-flow rate"}, "qer.gate.uplink:qer.gate.any-of-several,qer.mbr.session-and-flow"},
		{"one crash is one", []string{"session.bystander died panic in f", "n4.garbage died panic in f",
			"n4.short-ie died panic in g"}, "session.bystander:n4.garbage n4.short-ie:"},
		{"one refusal of the same session is one",
			[]string{"pdr.teid refused 2 PDRs", "pdr.qfi refused 2 PDRs", "pdr.many.8 refused 8 PDRs"},
			"pdr.teid:pdr.qfi pdr.many.8:"},
		{"malformed messages of N9 rest on any of N3",
			[]string{"scas.malformed.prime leaked", "scas.malformed.n9 leaked"},
			"scas.malformed.prime:scas.malformed.n9"},
		{"changes are late", []string{"far.update.drop change-late", "qer.gate.update change-late", "session.modify.remove-qer lost-after-change",
			"urr.quota.renewed lost-after-change", "urr.remove no-usage", "session.modify.update-urr threshold"},
			"far.update.drop:qer.gate.update,session.modify.remove-qer,urr.quota.renewed,urr.remove,session.modify.update-urr"},
		{"packets are lost after changes", []string{"far.path-switch lost-after-change", "session.modify.remove-qer lost-after-change",
			"session.modify.bystander loss"}, "far.path-switch:session.modify.remove-qer,session.modify.bystander"},
		{"some packets go elsewhere", []string{"gtpu.outer.ttl tunnel-some", "ip.exact.downlink tunnel-some"}, "ip.exact.downlink:gtpu.outer.ttl"},
		{"durations are too long", []string{"urr.duration duration", "urr.times duration"}, "urr.times:urr.duration"},
		{"a duration is missing, and so is a Start Time", []string{"urr.duration duration-missing", "urr.times report-times"},
			"urr.duration: urr.times:"},
		{"what says nothing is its own", []string{"n4.version ", "n4.pfd x", "gtpu.echo unanswered-gtpu"}, "n4.pfd: gtpu.echo:"},
	} {
		var got []string
		for _, x := range Of(found(c.list...)) {
			got = append(got, x.Case+":"+strings.Join(x.Explains, ","))
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v is\n%s, want\n%s", c.why, c.list, strings.Join(got, " "), c.want)
		}
	}
}

// TestRestsNameCases: each row of the tables is a case that there is.
func TestRestsNameCases(t *testing.T) {
	all := cases.All()
	is := func(pattern string) bool {
		return slices.ContainsFunc(all, func(c cases.Case) bool { return matches(pattern, c.ID) })
	}
	for _, r := range rests {
		if !is(r.row) || !is(r.on) {
			t.Errorf("no case is %q, or %q", r.row, r.on)
		}
	}
	for symptom, id := range names {
		if !is(id) {
			t.Errorf("no case %q names %s", id, symptom)
		}
	}
}
