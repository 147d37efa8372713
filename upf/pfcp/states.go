package pfcp

import "slices"

// usageStates are how far the usage of a session's URRs is reported: a few, in no order.
type usageStates []urrState

type urrState struct {
	urr uint32
	usageState
}

func (l usageStates) find(urr uint32) int {
	return slices.IndexFunc(l, func(st urrState) bool { return st.urr == urr })
}

func (l usageStates) has(urr uint32) bool { return l.find(urr) >= 0 }

// of is the state of a URR; the zero one where there is none.
func (l usageStates) of(urr uint32) (st usageState) {
	if i := l.find(urr); i >= 0 {
		st = l[i].usageState
	}
	return st
}

// put sets a URR's state.
func (l *usageStates) put(urr uint32, st usageState) {
	if i := l.find(urr); i >= 0 {
		(*l)[i].usageState = st
		return
	}
	*l = append(*l, urrState{urr, st})
}

// remove forgets a URR.
func (l *usageStates) remove(urr uint32) {
	if i := l.find(urr); i >= 0 {
		*l = slices.Delete(*l, i, i+1)
	}
}
