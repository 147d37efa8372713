package causes

import (
	"slices"
	"strings"

	"github.com/upflab/upflab/internal/record"
)

// names are the cases that ask for what a symptom of packets is the lack of.
var names = map[string]string{
	"inner-checksum":             "ip.checksum",
	"inner-tos":                  "ip.dscp",
	"inner-identification":       "ip.identification",
	"inner-flags":                "ip.flags",
	"inner-payload":              "ip.exact.uplink",
	"loss":                       "ip.exact.uplink",
	"tunnel-some":                "ip.exact.downlink",
	"change-late":                "far.update.drop",
	"lost-after-change":          "far.update.drop",
	"copies":                     "ip.exact.uplink",
	"outer-checksum":             "gtpu.outer.checksum",
	"outer-udp-checksum":         "gtpu.outer.udp-checksum",
	"outer-ttl":                  "gtpu.outer.ttl",
	"outer-source":               "gtpu.outer.source",
	"outer-port":                 "gtpu.outer.port",
	"outer-fragments":            "gtpu.outer.whole",
	"answer-seid":                "session.answer.seid",
	"report-seid":                "n4.report.seid",
	"report-form":                "n4.report.form",
	"icmp-form":                  "ip.ttl.answered.uplink",
	"answer-node":                "session.answer.node",
	"answer-port":                "n4.answer.port",
	"offending-ie":               "n4.missing-ie",
	"failed-rule":                "session.modify.unknown-far",
	"report-times":               "urr.times",
	"duration":                   "urr.times",
	"report-unasked":             "urr.query",
	"report-late":                "urr.threshold.exact",
	"threshold":                  "urr.threshold.exact",
	"fteid-address":              "fteid.choose",
	"created-pdr":                "fteid.choose",
	"ppi-not-asked":              "qer.ppi.not-asked",
	"sequence-heartbeat-request": "n4.heartbeat",
	"gtpu-header":                "gtpu.outer.header",
	"extension-header":           "gtpu.outer.extensions",
	"container":                  "gtpu.outer.container",
	"no-container":               "qer.qfi",
	"qfi":                        "qer.qfi",
	"rqi-not-asked":              "qer.rqi.not-asked",
}

// Named is the case that asks for what a symptom is the lack of; "": none does for it alone.
func Named(symptom string) string { return names[symptom] }

// pervasive reports whether a symptom is one that a fault of all packets shows in every case.
func pervasive(symptom string) bool {
	return names[symptom] != "" || strings.HasPrefix(symptom, "inner-") && symptom != "inner-ttl" || strings.HasPrefix(symptom, "sequence-")
}

// rest says that a case, or a group of them, cannot be enforced while another one is not; with
// symptoms only a finding with one of them, which the other one has to have, too.
type rest struct {
	row, on  string // patterns; on is a case itself where it has no *
	symptoms []string
	others   []string // symptoms of the other one, where they are not the same
}

// fits reports whether the symptoms of the other finding are those that explain a finding.
func (r *rest) fits(c, other *record.Case) bool {
	switch {
	case r.others != nil:
		return slices.Contains(r.others, other.Symptom)
	case r.symptoms != nil:
		return other.Symptom == c.Symptom
	}
	return true
}

// on makes the rests of several rows.
func on(other string, rows ...string) (list []rest) {
	for _, row := range rows {
		list = append(list, rest{row: row, on: other})
	}
	return list
}

// alike makes those of findings with the same symptom.
func alike(other string, symptoms []string, rows ...string) (list []rest) {
	list = on(other, rows...)
	for i := range list {
		list[i].symptoms = symptoms
	}
	return list
}

// after makes those of findings with a symptom that another symptom leads to.
func after(other string, others, symptoms []string, rows ...string) (list []rest) {
	list = alike(other, symptoms, rows...)
	for i := range list {
		list[i].others = others
	}
	return list
}

var (
	uncounted = []string{"usage", "usage-low", "no-usage"}
	low       = []string{"usage-low"}
	reported  = []string{"report"}
	rated     = []string{"rate"}
	leaked    = []string{"leaked"}
	kept      = []string{"kept"}
	ignored   = []string{"ignored"}
	lostUp    = []string{"lost-uplink"}
	lostDown  = []string{"lost-downlink"}
)

// rests are what cases rest on, the nearest first.
var rests = join(
	on("pdr.source-address", "pdr.source-address.other-ue"),
	on("pdr.precedence", "pdr.precedence.order", "pdr.precedence.update", "pdr.many", "qer.qfi.flows",
		"qer.mbr.shared", "session.modify.create", "session.modify.remove-filtered", "far.uplink-classifier"),
	on("pdr.many.8", "pdr.many.32"),
	on("pdr.qfi", "pdr.qfi.several"),
	alike("pdr.sdf.host.downlink", leaked, "pdr.sdf.*.downlink"),
	alike("pdr.sdf.host.uplink", leaked, "pdr.sdf.*.uplink"),
	on("pdr.sdf.remote-port.uplink", "pdr.sdf.remote-port.range", "pdr.sdf.remote-port.list", "pdr.sdf.several"),
	on("pdr.sdf.remote-port.downlink", "pdr.sdf.remote-port.range.downlink", "pdr.sdf.remote-port.list.downlink", "pdr.sdf.several.downlink"),
	directions("host", "prefix", "protocol", "remote-port", "remote-port.range", "remote-port.list", "local-port",
		"all-components", "several", "tos", "spi"),
	components("host", "protocol", "remote-port", "local-port"),
	on("session.modify.remove-pdr", "session.modify.remove-pdr.uplink", "session.modify.remove-filtered"),
	on("session.delete", "session.delete.again", "session.bystander"),
	alike("leak.delete", kept, "leak"),
	alike("session.delete", leaked, "n4.recovery.newer", "n4.association.again", "n4.association.release"),
	on("far.path-switch", "far.end-marker", "far.path-switch.new-gnb"),
	on("far.n9", "far.n9.qmp.uplink"),
	on("scas.ipups", "far.n9.ppi", "far.n9.qmp.downlink"),
	on("pdr.sdf.id", "pdr.sdf.id.update"),
	on("far.end-marker", "far.end-marker.last", "far.end-marker.prompt"),
	on("far.buffer", "far.buffer.idle", "far.buffer.drop"),
	on("far.notify", "far.buffer.idle"),
	alike("far.outer.udp-ipv4", ignored, "far.outer"),
	on("qer.gate.uplink", "qer.gate.both", "qer.gate.update", "qer.gate.any-of-several", "urr.dropped", "session.modify.create-qer"),
	on("qer.gate.downlink", "qer.gate.both", "qer.gate.update"),
	on("qer.gate.any-of-several", "qer.mbr.session-and-flow"),
	on("qer.qfi", "qer.qfi.update", "qer.qfi.flows", "qer.qfi.lengths", "qer.rqi", "qer.ppi"),
	alike("qer.mbr.uplink", rated, "qer.mbr", "qer.gbr"),
	alike("qer.mbr.downlink", rated, "qer.mbr.update", "qer.mbr.shared", "qer.mbr.session-and-flow", "qer.gbr"),
	alike("urr.volume.uplink", uncounted, "urr", "session.modify.create-urr", "session.modify.update-urr"),
	alike("urr.volume.downlink", uncounted, "urr", "session.modify.create-urr", "session.modify.update-urr"),
	after("urr.volume.uplink", low, reported, "urr", "session.modify.update-urr"),
	alike("urr.threshold.volume", reported, "urr", "session.modify.update-urr"),
	on("urr.threshold.volume", "n4.fseid.modify"),
	after("session.delete", leaked, []string{"no-usage"}, "urr"),
	on("ip.protocol.esp", "pdr.sdf.spi"),
	on("ip.ecn.decapsulated", "ip.ecn.not-capable"),
	on("ip.outer-fragments", "ip.outer-fragments.swapped"),
	on("gtpu.sequence", "gtpu.sequence.no-container"),
	alike("gtpu.echo", []string{"unanswered-gtpu"}, "gtpu.error-indication"),
	on("gtpu.error-indication", "gtpu.error-indication.reported"),
	on("scas.malformed.*", "scas.malformed.n9"),
	on("scas.teid-unique", "fteid.unique"),
	on("session.unknown.delete", "session.unknown.modify"),
	alike("session.modify.unknown-far", []string{"accepted"}, "session.modify.unknown-pdr", "session.atomic.modify", "session.unknown.modify"),
	alike("session.idle", lostUp, "urr.duration", "urr.monitoring-time"),
	alike("session.idle", lostDown, "urr.duration", "urr.monitoring-time"),
	after("session.first", []string{"first-uplink"}, lostUp, "*"),
	after("session.first", []string{"first-downlink"}, lostDown, "*"),
	after("session.first", []string{"first-downlink"}, lostUp, "far.n9", "far.uplink-classifier", "urr.quota.action"), // into a tunnel, too
	after("session.first", []string{"first-uplink", "first-downlink"}, []string{"loss"}, "*"),
	after("*", []string{"change-late"}, []string{"lost-after-change"}, "*"), // what lets packets pass again comes late, too
	after("*", []string{"change-late"}, lostUp, "urr.quota.action"),
	after("*", []string{"change-late"}, []string{"no-usage", "usage-low", "threshold"},
		"urr.remove", "session.modify.create-urr", "session.modify.update-urr"),
	after("*", []string{"lost-after-change"}, []string{"loss", "lost-uplink", "lost-downlink"}, "session.modify", "session.bystander", "far"),
	alike("pdr.teid", lostUp, "*"),
	alike("pdr.ue-address", lostDown, "*"),
)

// directions has a filter's downlink rest on its uplink.
func directions(ids ...string) (list []rest) {
	for _, id := range ids {
		list = append(list, rest{row: "pdr.sdf." + id + ".downlink", on: "pdr.sdf." + id + ".uplink"})
	}
	return list
}

// components has a filter of all components rest on those of each.
func components(ids ...string) (list []rest) {
	for _, id := range ids {
		for _, way := range []string{"uplink", "downlink"} {
			list = append(list, rest{row: "pdr.sdf.all-components." + way, on: "pdr.sdf." + id + "." + way})
		}
	}
	return list
}

func join(lists ...[]rest) (all []rest) {
	for _, l := range lists {
		all = append(all, l...)
	}
	return all
}
