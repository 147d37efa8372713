package xdp

import (
	"errors"
	"testing"

	"github.com/upflab/upflab/upf/datapath/datapathtest"
	"github.com/upflab/upflab/upf/session"
)

// TestRelayIsRefused: what the programs do not do is said, and not dropped silently.
func TestRelayIsRefused(t *testing.T) {
	_, err := compile(datapathtest.Intermediate())
	var rule *session.RuleError
	if !errors.As(err, &rule) || rule.Kind != session.KindPDR {
		t.Errorf("compile = %v, want an error about a PDR", err)
	}
}
