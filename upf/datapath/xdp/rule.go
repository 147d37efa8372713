package xdp

import "net/netip"

// ruleWord is an upfUlRule or an upfDlRule as it is in memory, in little-endian order: what is
// compared with or the TEID, the verdict, the QFI, and the peer of a downlink rule. The rule of
// IPv6 uplink packets has a prefix besides.
type ruleWord uint64

func ruleOf(low uint32, verdict, qfi uint8) ruleWord {
	return ruleWord(low) | ruleWord(verdict)<<32 | ruleWord(qfi)<<40
}

func (w ruleWord) verdict() uint8 { return uint8(w >> 32) }

// withPeer is a downlink rule with the slot of its gNB.
func (w ruleWord) withPeer(slot uint16) ruleWord { return w&(1<<48-1) | ruleWord(slot)<<48 }

// withChain is a rule with the number of its chain.
func (w ruleWord) withChain(number uint32) ruleWord { return w>>32<<32 | ruleWord(number) }

// value is an entry's rule as the rule maps have it.
func (e *entry) value() any {
	if !e.key.isUplink6() {
		return uint64(e.rule)
	}
	rule := upfUlRule6{Chain: uint32(e.rule), Verdict: e.rule.verdict(), Qfi: uint8(e.rule >> 40)}
	rule.Ue, rule.Mask = wirePrefix6(e.chain.prefix())
	return &rule
}

// prefix is the inner source of a plain rule of IPv6 uplink packets; invalid for any.
func (c *chain) prefix() (p netip.Prefix) {
	if c.chainExtras != nil {
		p = c.ue
	}
	return p
}
