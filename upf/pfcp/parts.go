package pfcp

import (
	"github.com/upflab/upflab/upf/pfcp/association"
	"github.com/upflab/upflab/upf/pfcp/change"
	"github.com/upflab/upflab/upf/pfcp/procedure"
	"github.com/upflab/upflab/upf/pfcp/tally"
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
