package n4

import (
	"github.com/upflab/upflab/upf/n4/association"
	"github.com/upflab/upflab/upf/n4/change"
	"github.com/upflab/upflab/upf/n4/procedure"
	"github.com/upflab/upflab/upf/n4/tally"
)

// What a Config has, and what a Server is told and tells, is its parts'.
type (
	Limits     = association.Limits
	SMFSet     = association.SMFSet
	Heartbeat  = association.Heartbeat
	Tunables   = association.Tunables
	Predefined = change.Predefined
	Keeper     = association.Keeper
	Kept       = procedure.Kept
	Restored   = procedure.Restored
	Info       = association.Info
	Counters   = tally.Counters
)
