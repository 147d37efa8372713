package datapath

import "errors"

// ErrFull is what Apply's error wraps when a table has no room for the rules.
// A PFCP peer is answered with the cause "No resources available" (75). When
// it is one rule that cannot be carried out, Apply's error is, or wraps, a
// *session.RuleError.
var ErrFull = errors.New("the datapath's tables are full")
