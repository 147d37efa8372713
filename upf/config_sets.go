package upf

import (
	"fmt"
	"net/netip"
	"slices"
	"strings"

	"github.com/upflab/upflab/upf/n4"
)

// maxSets is how many SMF sets there may be.
const maxSets = 256

func readN4(r *reader, f *file) N4 {
	n := N4{
		Address: readN4Address(r, f.N4.Address), Interface: readN4Interface(r, f.N4.Interface),
		SMFs: r.peers("n4.smfs", f.N4.SMFs, maxSMFs),
	}
	n.Sets = readSets(r, f, n.SMFs)
	return n
}

// readSets reads the SMF sets. An address is of one set at most, and may associate.
func readSets(r *reader, f *file, smfs []netip.Prefix) (list []n4.SMFSet) {
	if len(f.N4.Sets) > maxSets {
		r.bad("n4.sets", "has %d sets: give %d at most", len(f.N4.Sets), maxSets)
		return nil
	}
	for i, one := range f.N4.Sets {
		key := fmt.Sprintf("n4.sets[%d]", i)
		set := n4.SMFSet{ID: one.ID, SMFs: r.peers(key+".smfs", one.SMFs, maxSMFs)}
		switch {
		case !isDomainName(one.ID):
			r.bad(key+".id", "%q is not a domain name: give the SMF Set ID that the SMFs send, such as set.example.org", one.ID)
		case slices.ContainsFunc(list, func(s n4.SMFSet) bool { return strings.EqualFold(s.ID, set.ID) }):
			r.bad(key+".id", "%q is there twice: give its SMFs in one list", one.ID)
		case len(set.SMFs) == 0:
			r.bad(key+".smfs", "is missing: give the addresses of the set's SMFs")
		}
		for j, p := range set.SMFs {
			checkInOneSet(r, fmt.Sprintf("%s.smfs[%d]", key, j), p, smfs, list)
		}
		list = append(list, set)
	}
	return list
}

func checkInOneSet(r *reader, key string, p netip.Prefix, smfs []netip.Prefix, others []n4.SMFSet) {
	within := func(s netip.Prefix) bool { return s.Bits() <= p.Bits() && s.Contains(p.Addr()) }
	if len(smfs) > 0 && !slices.ContainsFunc(smfs, within) {
		r.bad(key, "%v is not in n4.smfs: add it there, or it may not associate", p)
	}
	for _, s := range others {
		if slices.ContainsFunc(s.SMFs, p.Overlaps) {
			r.bad(key, "%v is also in the set %q: an SMF is of one set", p, s.ID)
		}
	}
}

// isDomainName reports whether a text can be an FQDN.
func isDomainName(text string) bool {
	if text == "" || len(text) > maxFQDN {
		return false
	}
	for label := range strings.SplitSeq(text, ".") {
		if label == "" || len(label) > 63 || strings.ContainsAny(label, " \t:/") {
			return false
		}
	}
	return true
}
