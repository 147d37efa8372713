package measure

import (
	"time"

	"github.com/upflab/upflab/internal/result"
)

// Silent is an Observer that tells nobody.
type Silent struct{}

// Engine does nothing.
func (Silent) Engine(result.Engine) {}

// Stage does nothing.
func (Silent) Stage(string, string) {}

// Begin does nothing.
func (Silent) Begin(int, string, result.Trial) {}

// Live does nothing.
func (Silent) Live(time.Duration, uint64, uint64) {}

// End does nothing.
func (Silent) End(int, string, result.Trial) {}

// Failed does nothing.
func (Silent) Failed(string, error) {}

// Searched does nothing.
func (Silent) Searched(string, result.Search) {}
