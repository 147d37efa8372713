package p4rt

import (
	"bytes"
	"fmt"
	"net/netip"

	configv1 "github.com/p4lang/p4runtime/go/p4/config/v1"
	p4v1 "github.com/p4lang/p4runtime/go/p4/v1"
)

// Action is an action with its parameters, by name.
type Action struct {
	Name   string
	Params map[string][]byte // in network byte order
}

// Exact is an entry for one value of a table's first key.
func Exact(info *configv1.P4Info, table string, value []byte, a Action) (*p4v1.TableEntry, error) {
	t, key, err := find(info, table)
	if err != nil {
		return nil, err
	}
	action, err := action(info, a)
	if err != nil {
		return nil, err
	}
	exact := &p4v1.FieldMatch_Exact_{Exact: &p4v1.FieldMatch_Exact{Value: canonical(value)}}
	return &p4v1.TableEntry{
		TableId: t, Match: []*p4v1.FieldMatch{{FieldId: key, FieldMatchType: exact}},
		Action: &p4v1.TableAction{Type: &p4v1.TableAction_Action{Action: action}},
	}, nil
}

// Route is an entry for a prefix in a table with an action selector, of which it is
// the only member (clause 9.2.3, one-shot).
func Route(info *configv1.P4Info, table string, to netip.Prefix, a Action) (*p4v1.TableEntry, error) {
	t, key, err := find(info, table)
	if err != nil {
		return nil, err
	}
	action, err := action(info, a)
	if err != nil {
		return nil, err
	}
	set := &p4v1.ActionProfileActionSet{ActionProfileActions: []*p4v1.ActionProfileAction{{Action: action, Weight: 1}}}
	e := &p4v1.TableEntry{
		TableId: t, Action: &p4v1.TableAction{Type: &p4v1.TableAction_ActionProfileActionSet{ActionProfileActionSet: set}},
	}
	if to.Bits() > 0 { // a prefix of no bits is written by leaving it out (clause 9.1.1)
		lpm := &p4v1.FieldMatch_LPM{Value: canonical(to.Masked().Addr().AsSlice()), PrefixLen: int32(to.Bits())}
		e.Match = []*p4v1.FieldMatch{{FieldId: key, FieldMatchType: &p4v1.FieldMatch_Lpm{Lpm: lpm}}}
	}
	return e, nil
}

// TableID is the number of a table.
func TableID(info *configv1.P4Info, name string) (uint32, error) {
	id, _, err := find(info, name)
	return id, err
}

// CounterID is the number of an indirect counter.
func CounterID(info *configv1.P4Info, name string) (uint32, error) {
	for _, c := range info.GetCounters() {
		if c.GetPreamble().GetName() == name {
			return c.GetPreamble().GetId(), nil
		}
	}
	return 0, fmt.Errorf("the P4 program has no counter %q", name)
}

// find gives a table's number and that of its first key.
func find(info *configv1.P4Info, name string) (table, key uint32, err error) {
	for _, t := range info.GetTables() {
		if t.GetPreamble().GetName() == name && len(t.GetMatchFields()) > 0 {
			return t.GetPreamble().GetId(), t.GetMatchFields()[0].GetId(), nil
		}
	}
	return 0, 0, fmt.Errorf("the P4 program has no table %q with a key", name)
}

func tableName(info *configv1.P4Info, id uint32) string {
	for _, t := range info.GetTables() {
		if t.GetPreamble().GetId() == id {
			return t.GetPreamble().GetName()
		}
	}
	return fmt.Sprint(id)
}

func action(info *configv1.P4Info, a Action) (*p4v1.Action, error) {
	for _, have := range info.GetActions() {
		if have.GetPreamble().GetName() != a.Name {
			continue
		}
		out := &p4v1.Action{ActionId: have.GetPreamble().GetId()}
		for _, p := range have.GetParams() {
			value, ok := a.Params[p.GetName()]
			if !ok {
				return nil, fmt.Errorf("action %s of the P4 program wants a parameter %q that upflab does not know", a.Name, p.GetName())
			}
			out.Params = append(out.Params, &p4v1.Action_Param{ParamId: p.GetId(), Value: canonical(value)})
		}
		return out, nil
	}
	return nil, fmt.Errorf("the P4 program has no action %q", a.Name)
}

// canonical is the shortest form of a number, one octet at least (clause 8.4).
func canonical(b []byte) []byte {
	if short := bytes.TrimLeft(b, "\x00"); len(short) > 0 {
		return short
	}
	return []byte{0}
}
