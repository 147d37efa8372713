package upf

import (
	"fmt"

	"github.com/upflab/upflab/upf/n4"
	"github.com/upflab/upflab/upf/n4/change"
	"github.com/upflab/upflab/upf/n4/request"
	"github.com/upflab/upflab/upf/session"
)

// predefinedFile is an entry of predefined_rules.
type predefinedFile struct {
	Name    string   `yaml:"name"`
	Filters []string `yaml:"filters"`
	Action  string   `yaml:"action"`

	GateUplink   string `yaml:"gate_uplink"`
	GateDownlink string `yaml:"gate_downlink"`
	MBRUplink    string `yaml:"mbr_uplink"`
	MBRDownlink  string `yaml:"mbr_downlink"`
	QFI          string `yaml:"qfi"`
	PPI          string `yaml:"ppi"`
}

// Bounds of predefined rules.
const (
	maxPredefined     = 256
	maxPredefinedName = 255
	maxMBR            = 1e9 // kbit/s
)

// readPredefined reads the predefined rules by name; nil: there are none.
func readPredefined(r *reader, list []predefinedFile) map[string]n4.Predefined {
	if len(list) > maxPredefined {
		r.bad("predefined_rules", "has %d entries, %d are the most", len(list), maxPredefined)
	}
	var rules map[string]n4.Predefined
	ids := map[uint32]string{}
	for i := range list[:min(len(list), maxPredefined)] {
		f, key := &list[i], fmt.Sprintf("predefined_rules[%d]", i)
		id := change.PredefinedID(f.Name)
		switch other, taken := ids[id]; {
		case f.Name == "" || len(f.Name) > maxPredefinedName:
			r.bad(key, "has a name of %d octets: give the name that SMFs activate it by, 1..%d", len(f.Name), maxPredefinedName)
			continue
		case taken && other == f.Name:
			r.bad(key+".name", "%q is that of an earlier rule, too", f.Name)
			continue
		case taken:
			r.bad(key+".name", "%q and %q have the same ID: change one of them", f.Name, other)
			continue
		}
		ids[id] = f.Name
		if rules == nil {
			rules = map[string]n4.Predefined{}
		}
		rules[f.Name] = n4.Predefined{Filters: readFlows(r, key, f.Filters), FAR: readFAR(r, key, f, id), QER: readQER(r, key, f, id)}
	}
	return rules
}

// readFlows reads flow descriptions, of which there is one at least.
func readFlows(r *reader, key string, texts []string) (filters []session.Filter) {
	if len(texts) == 0 {
		r.bad(key, "has no filters: give one at least, as permit out udp from 203.0.113.0/24 to assigned")
	}
	for i, text := range texts {
		f, err := request.ParseFlow(text)
		if err != nil {
			r.bad(fmt.Sprintf("%s.filters[%d]", key, i), "%q: %v", text, err)
		}
		filters = append(filters, f)
	}
	return filters
}

func readFAR(r *reader, key string, f *predefinedFile, id uint32) *session.FAR {
	switch r.oneOf(key+".action", f.Action, "", "forward", "drop") {
	case "forward":
		return &session.FAR{ID: id, Action: session.Forward, Destination: session.Core}
	case "drop":
		return &session.FAR{ID: id, Action: session.Drop}
	}
	return nil
}

func readQER(r *reader, key string, f *predefinedFile, id uint32) *session.QER {
	if f.GateUplink+f.GateDownlink+f.MBRUplink+f.MBRDownlink+f.QFI+f.PPI == "" {
		return nil
	}
	q := &session.QER{ID: id,
		GateUL: r.oneOf(key+".gate_uplink", f.GateUplink, "open", "closed") == "open",
		GateDL: r.oneOf(key+".gate_downlink", f.GateDownlink, "open", "closed") == "open",
		MBRUL:  uint64(r.number(key+".mbr_uplink", f.MBRUplink, 0, 1, maxMBR)) * 1000,
		MBRDL:  uint64(r.number(key+".mbr_downlink", f.MBRDownlink, 0, 1, maxMBR)) * 1000,
		QFI:    uint8(r.number(key+".qfi", f.QFI, 0, 1, session.MaxQFI)),
	}
	if f.PPI != "" {
		q.PPI = session.PPIOf(uint8(r.number(key+".ppi", f.PPI, 0, 0, session.MaxPPI)))
	}
	return q
}
