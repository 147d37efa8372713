package campaign

import (
	"time"

	"github.com/upflab/upflab/internal/record"
)

// Silent is an Observer that does nothing.
type Silent struct{}

// Engine does nothing.
func (Silent) Engine(record.Engine) {}

// Stage does nothing.
func (Silent) Stage(string, string) {}

// Begin does nothing.
func (Silent) Begin(int, string, record.Trial) {}

// Live does nothing.
func (Silent) Live(time.Duration, uint64, uint64) {}

// End does nothing.
func (Silent) End(int, string, record.Trial) {}

// Failed does nothing.
func (Silent) Failed(string, error) {}

// Noted does nothing.
func (Silent) Noted(string, string) {}

// Searched does nothing.
func (Silent) Searched(string, record.Search) {}

// Flowed does nothing.
func (Silent) Flowed(int, string, record.AppFlow) {}
