package association

import (
	"fmt"
	"net/netip"
	"slices"
	"strconv"
	"strings"

	"github.com/upflab/upflab/upf/n4/usage"
	"github.com/upflab/upflab/upf/session"
)

// Keeper keeps what a later process goes on with. It must not block for long, and not
// call the Server.
type Keeper interface {
	Put(key string, value any)
	Forget(key string)
}

// The keys of what is kept: a prefix, and the Node ID or the SEID.
const (
	keyAssociation = "association/"
	keySession     = "session/"
)

// KeptAssociation is an association as it is kept.
type KeptAssociation struct {
	Peer     netip.AddrPort
	Recovery uint32
	// Applications are what PFD management gave.
	Applications map[string][]session.Filter `json:",omitempty"`
	// Features are the CP Function Features of SMF sets. Others are the addresses of the set's other SMFs, Silent
	// those that do not answer. Which set it is the configuration says.
	Features uint8        `json:",omitempty"`
	Others   []netip.Addr `json:",omitempty"`
	Silent   []netip.Addr `json:",omitempty"`
}

// KeptSession is a session as it is kept.
type KeptSession struct {
	CP        uint64
	CPAddress netip.Addr
	Node      string
	Sets      [][]byte        `json:",omitempty"` // FQ-CSIDs
	Given     [2]netip.Prefix // UE addresses that were chosen here
	Rules     *session.Rules
	Usage     map[uint32]usage.KeptUsage `json:",omitempty"`
}

func SessionKey(up uint64) string { return keySession + strconv.FormatUint(up, 16) }

// Keeping gives a Keeper what a later process needs. Without a Keeper it does nothing.
type Keeping struct {
	To       Keeper
	Counted  func(seid uint64, urr session.URRKey) session.Usage // until now
	Sessions *Sessions
}

// association keeps an association as it is now. The lock of associations is held.
func (k *Keeping) association(a *Association) {
	if k.To != nil {
		k.To.Put(keyAssociation+a.Node, KeptAssociation{
			a.Peer, a.recovery, a.applications, uint8(a.Features), slices.Clone(a.Others), slices.Clone(a.silent),
		})
	}
}

// Forget drops what was kept of an association or a session.
func (k *Keeping) Forget(key string) {
	if k.To != nil {
		k.To.Forget(key)
	}
}

// Session keeps a session as it is now. Its lock is held.
func (k *Keeping) Session(one *Session) {
	if k.To == nil || one.Rules.IsZero() {
		return
	}
	cp, at := k.Sessions.CPFSEID(one)
	rules := one.Rules.Rules()
	kept := KeptSession{CP: cp, CPAddress: at, Node: one.Association.Node, Given: one.AddressesGiven(), Rules: rules}
	for _, set := range one.SetsOf() {
		kept.Sets = append(kept.Sets, []byte(set))
	}
	for i := range one.Usage {
		u, st := rules.FindURR(one.Usage[i].URR), &one.Usage[i].State
		if kept.Usage == nil {
			kept.Usage = map[uint32]usage.KeptUsage{}
		}
		kept.Usage[u.ID] = st.Kept(k.Counted(one.Up, u.Key()))
	}
	k.To.Put(SessionKey(one.Up), kept)
}

// KeyOf reads a key of what was kept.
func KeyOf(key string) (node string, seid uint64, err error) {
	if name, ok := strings.CutPrefix(key, keyAssociation); ok {
		return name, 0, nil
	}
	text, ok := strings.CutPrefix(key, keySession)
	if !ok {
		return "", 0, fmt.Errorf("%q is not known", key)
	}
	seid, err = strconv.ParseUint(text, 16, 64)
	return "", seid, err
}
