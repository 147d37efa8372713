package procedure

import (
	"log/slog"
	"time"

	"github.com/upflab/upflab/upf/n4/ask"
	"github.com/upflab/upflab/upf/n4/association"
)

// Nodes carries out what is about associations and their CP functions: requests of theirs, and the server's own.
type Nodes struct {
	Offers features      // but for those of SMF sets
	Retry  time.Duration // Config.ConnectRetry
	Later  func(func())  // runs what takes long, and must not hold an answer up
	Log    *slog.Logger
	*Answers

	Carry        *Sessions
	Associations *association.Associations
	Sessions     *association.Sessions
	Requests     *ask.Requests
	Kept         *association.Keeping
}
